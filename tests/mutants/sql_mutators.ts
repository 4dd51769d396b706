/**
 * Breaks one rule of a SQL function at a time: a comparison, a condition, a constant, a value that is told or
 * stored, a statement. Works on the text, as `deno task fmt:sql` formats it; what Postgres then refuses to
 * create is no mutant.
 */

import { applyChange, type Change, type Mutant } from "./mutant.ts";

interface Routine {
  readonly name: string;
  /** Where its body begins and ends in the file. */
  readonly from: number;
  readonly to: number;
}

/** Every mutant of a file's functions. @param file its path, for the report. */
export function listSqlMutants(file: string, text: string): Mutant[] {
  const code = maskSql(text);
  const seen = new Set<string>();
  return findRoutines(code).flatMap((routine) =>
    [...listChanges(text, code, routine), ...listTexts(text, code, routine)].flatMap((change) => {
      const mutant = { ...applyChange(file, text, change), routine: routine.name };
      if (mutant.text === text || seen.has(mutant.text)) return [];
      seen.add(mutant.text);
      return [mutant];
    })
  );
}

/** The text with its comments blank and the contents of its quoted texts as `~`, of the same length. */
export function maskSql(text: string): string {
  return text.replaceAll(
    /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g,
    (token) =>
      token.startsWith("'")
        ? `'${token.slice(1, -1).replaceAll(/[^\n]/g, "~")}'`
        : token.replaceAll(/[^\n]/g, " "),
  );
}

function findRoutines(code: string): Routine[] {
  const heads = [...code.matchAll(/^create or replace (?:function|procedure) ([\w.]+)/gm)];
  return heads.flatMap((head, place) => {
    const end = heads[place + 1]?.index ?? code.length;
    const body = /(?:^| )as \$\w*\$|^(?:return\b|begin atomic)/m.exec(code.slice(head.index, end));
    return body === null
      ? []
      : [{ name: head[1] ?? "", from: head.index + body.index + body[0].length, to: end }];
  });
}

interface Replacement {
  readonly pattern: RegExp;
  readonly what: string;
  /** What stands in the place of the match; null leaves it as it is. */
  readonly write: (match: RegExpExecArray) => string | null;
}

const condition = String.raw`\b(?:where|and|or|when|on|if|elsif|not|having)\b[^\n,;]*?`;

const replacements: readonly Replacement[] = [
  swap(/ <= /g, " < "),
  swap(/ < /g, " <= "),
  swap(/ >= /g, " > "),
  swap(/ > /g, " >= "),
  swap(/ <> /g, " = "),
  swap(/ != /g, " = "),
  swap(/\bis not null\b/g, "is null"),
  swap(/\bis null\b/g, "is not null"),
  swap(/\bis not distinct from\b/g, "is distinct from"),
  swap(/\bis distinct from\b/g, "is not distinct from"),
  swap(/\bnot exists\b/g, "exists"),
  swap(/(?<!not )\bexists(?= ?\()/g, "not exists"),
  swap(/\bgreatest(?=\()/g, "least"),
  swap(/\bleast(?=\()/g, "greatest"),
  swap(/ \+ /g, " - "),
  swap(/ - (?=[\w(])/g, " + "),
  swap(/\btrue\b/g, "false"),
  swap(/\bfalse\b/g, "true"),
  swap(/ desc\b/g, " asc"),
  swap(/\bnot (?=[\w(])(?!exists|null|distinct|in\b|like|between|materialized|found)/g, ""),
  swap(/\bif not found\b/g, "if found"),
  swap(/\bif found\b/g, "if not found"),
  swap(/ or /g, " and "),
  {
    pattern: new RegExp(`(${condition}) = (?!any\\b)`, "g"),
    what: "= became <>",
    write: ([, before]) => `${before} <> `,
  },
  {
    pattern: /(?<!\bbetween [^\n]*) and /g,
    what: "and became or",
    write: ([found]) => found.replace("and", "or"),
  },
  {
    pattern: /^( *)(if|elsif|when) ([^\n]+) then/gm,
    what: "a condition was negated",
    write: ([, indent, word, term]) => `${indent}${word} not coalesce(${term}, false) then`,
  },
  {
    pattern: /^( +)(?:and|or) [^\n]+$/gm,
    what: "a term was dropped",
    write: ([line, indent]) =>
      isBalanced(line) && !line.endsWith("then")
        ? `${indent}${line.endsWith(";") ? ";" : ""}`
        : null,
  },
  {
    pattern: /(?<![\w.'$:{-])(\d+)(?![\w.'}])/g,
    what: "a number became one more",
    write: ([, number]) => `${Number(number) + 1}`,
  },
];

function swap(pattern: RegExp, replacement: string): Replacement {
  const name = pattern.source.replaceAll(/\(\?[^)]*\)|\\b|\(\?.*$/g, "").replaceAll("\\", "")
    .trim();
  const what = replacement === "" ? `${name} was dropped` : `${name} became ${replacement.trim()}`;
  return { pattern, what, write: () => replacement };
}

/** Whole lines: a value that is told or stored, an assignment, a statement. */
const lineReplacements: readonly Replacement[] = [
  {
    pattern: /^( +'~+', )(?!null,?$)([^\n]+?)(,?)$/gm,
    what: "a told value became null",
    write: ([, key, value = "", comma]) =>
      isBalanced(value) && !/^case\b|^select\b/.test(value) ? `${key}null${comma}` : null,
  },
  {
    pattern: /^( +)([a-z_]+(?:(?:\.[a-z_]+)+(?=,?$)|(?=,$)))(,?)$/gm,
    what: "a value became null",
    write: ([, indent, , comma]) => `${indent}null${comma}`,
  },
  {
    pattern: /^( +)((?:set )?)([a-z_]+) = ([^\n]+),$/gm,
    what: "an assignment of an update was dropped",
    write: ([, indent, set, , value = ""]) => isBalanced(value) ? `${indent}${set}` : null,
  },
  {
    pattern: /^( +)[a-z_.]+ := [^\n]+;$/gm,
    what: "an assignment was dropped",
    write: ([, indent]) => `${indent}null;`,
  },
  {
    pattern: /^( +)perform [^;]+;$/gm,
    what: "a call was dropped",
    write: ([, indent]) => `${indent}null;`,
  },
  {
    pattern: /^( +)raise exception [^;]+;$/gm,
    what: "a refusal was dropped",
    write: ([, indent]) => `${indent}null;`,
  },
  {
    pattern: /^( +)(?:continue|exit)(?: when [^;]+)?;$/gm,
    what: "a jump was dropped",
    write: ([, indent]) => `${indent}null;`,
  },
];

function listChanges(text: string, code: string, routine: Routine): Change[] {
  const body = code.slice(routine.from, routine.to);
  const changes = [...replacements, ...lineReplacements].flatMap(({ pattern, what, write }) =>
    [...body.matchAll(pattern)].flatMap((match) => {
      const replacement = write(match);
      if (replacement === null) return [];
      const from = routine.from + match.index;
      const found = text.slice(from, from + match[0].length);
      const restored = restoreTexts(replacement, { found, masked: match[0] });
      return [trimChange(found, { from, replacement: restored, what })];
    })
  );
  return changes.toSorted((a, b) => a.from - b.from);
}

/** A quoted word that is compared, told or stored becomes another one. Prose stays as it is. */
function listTexts(text: string, code: string, { from, to }: Routine): Change[] {
  const words = code.slice(from, to).matchAll(
    /(?<=(?:[=(,[]|<>|then|else|in|when|return|:=) ?)'(~+)'/g,
  );
  return Array.from(words, ({ index, 1: { length } = "" }) => ({ start: from + index + 1, length }))
    .filter(({ start, length }) => /^\w+$/.test(text.slice(start, start + length)))
    .map(({ start }) => ({
      ...{ from: start, to: start, replacement: "x" },
      what: "a text became another",
    }));
}

/** Puts the quoted texts of what was found, in their order, into its replacement. */
function restoreTexts(
  replacement: string,
  { found, masked }: { readonly found: string; readonly masked: string },
): string {
  const texts = [...masked.matchAll(/'~*'/g)].map(({ index, 0: { length } }) =>
    found.slice(index, index + length)
  );
  return replacement.replaceAll(/'~*'/g, () => texts.shift() ?? "''");
}

/** Limits a change to what differs. */
function trimChange(
  found: string,
  { from, replacement, what }: Omit<Change, "to">,
): Change {
  let start = 0;
  while (start < replacement.length && found[start] === replacement[start]) start++;
  let end = 0;
  const longest = Math.min(found.length, replacement.length) - start;
  while (end < longest && found.at(-1 - end) === replacement.at(-1 - end)) end++;
  return {
    from: from + start,
    to: from + found.length - end,
    replacement: replacement.slice(start, replacement.length - end),
    what,
  };
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "(" || character === "[") depth++;
    if (character === ")" || character === "]") depth--;
    if (depth < 0) return false;
  }
  return depth === 0;
}
