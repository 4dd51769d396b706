/** Breaks one rule of a TypeScript file at a time: a condition, a comparison, a constant, a statement. */

import { applyChange, type Change, type Mutant } from "./mutant.ts";

interface Replacement {
  readonly pattern: RegExp;
  readonly what: string;
  readonly write: (match: RegExpExecArray) => string;
}

const replacements: readonly Replacement[] = [
  swap(/ === /g, " !== "),
  swap(/ !== /g, " === "),
  swap(/ <= /g, " < "),
  swap(/ < /g, " <= "),
  swap(/ >= /g, " > "),
  swap(/(?<!=) > /g, " >= "),
  swap(/ && /g, " || "),
  swap(/ \|\| /g, " && "),
  swap(/ \+ /g, " - "),
  swap(/\btrue\b/g, "false"),
  swap(/\bfalse\b/g, "true"),
  {
    pattern: /(?<![\w.$])(\d[\d_]*)(?![\w.])/g,
    what: "a number became one more",
    write: ([, number = ""]) => `${Number(number.replaceAll("_", "")) + 1}`,
  },
  {
    pattern: /^( +)(?:await )?[\w.]+(?:\([^\n]*\))+;$/gm,
    what: "a call was dropped",
    write: ([, indent]) => `${indent};`,
  },
  {
    pattern: /^( +)throw [^\n]+;$/gm,
    what: "a throw was dropped",
    write: ([, indent]) => `${indent};`,
  },
];

function swap(pattern: RegExp, replacement: string): Replacement {
  const from = pattern.source.replaceAll(/\(\?[^)]*\)|\\b/g, "").replaceAll("\\", "").trim();
  return { pattern, what: `${from} became ${replacement.trim()}`, write: () => replacement };
}

/** Every mutant of a file. Types and imports are left as they are. @param file its path, for the report. */
export function listTypeScriptMutants(file: string, text: string): Mutant[] {
  const code = maskTypeScript(text);
  const changes: Change[] = replacements.flatMap(({ pattern, what, write }) =>
    [...code.matchAll(pattern)].map((match) => ({
      from: match.index,
      to: match.index + match[0].length,
      replacement: write(match),
      what,
    }))
  );
  return [...changes, ...listNegations(code)].toSorted((a, b) => a.from - b.from)
    .map((change) => applyChange(file, text, change));
}

/** The condition of each `if`. */
function listNegations(code: string): Change[] {
  return [...code.matchAll(/\bif \(/g)].flatMap(({ index }) => {
    const from = index + "if (".length;
    const to = findClosing(code, from);
    if (to === null) return [];
    // Both brackets in one change: the mask has no texts, which a replacement must not write.
    return [{ from, to: from, replacement: "null === ", what: "a condition became false" }];
  });
}

function findClosing(code: string, from: number): number | null {
  let depth = 1;
  for (let place = from; place < code.length; place++) {
    if (code[place] === "(") depth++;
    if (code[place] === ")" && --depth === 0) return place;
  }
  return null;
}

/** The text with its comments, texts, types and imports as `~`, of the same length. */
export function maskTypeScript(text: string): string {
  const masked = (token: string): string => token.replaceAll(/[^\n]/g, "~");
  return text
    .replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g, masked)
    .replaceAll(
      /^import [^;]*;|^(?:export )?(?:type|interface) [\s\S]*?^(?:\}|[^\n]*;$)/gm,
      masked,
    );
}
