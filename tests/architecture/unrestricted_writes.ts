/**
 * Finds writes without WHERE in SQL text. The platform's role of the Data API loads the extension
 * safeupdate, which refuses them with 21000, inside functions too.
 */

/** Comments, which end nothing; quoted text, which may be a statement of its own; the rest is code. */
const quotes = /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]?'((?:[^']|'')*)'|"(?:[^"]|"")*"|\$\w*\$/g;

/** The begin of a write: not of a row's lock, of a privilege, of a trigger or of `on conflict do update`. */
const write =
  /\b(?:update\s+(?:only\s+)?(?!set\b)[\w."%]+(?:\s+(?:as\s+)?(?!set\b)\w+)?\s+set\b|delete\s+from\b)/gi;

/** The writes without WHERE in `sql`, function bodies and the text of dynamic statements included. */
export function findUnrestrictedWrites(sql: string): string[] {
  const dynamic: string[] = [];
  const code = sql.replaceAll(quotes, (found, text?: string) => {
    if (text !== undefined) {
      dynamic.push(text.replaceAll("''", "'"));
      return "''";
    }
    return found.startsWith('"') ? found : " ";
  });
  const unrestricted = Array.from(code.matchAll(write)).filter(({ 0: begin, index }) =>
    !hasWhere(code, index + begin.length)
  ).map(([begin]) => begin.replaceAll(/\s+/g, " "));
  return [...unrestricted, ...dynamic.flatMap(findUnrestrictedWrites)];
}

/** Whether a WHERE follows before the statement ends, outside of parentheses that open after `from`. */
function hasWhere(code: string, from: number): boolean {
  let depth = 0;
  const part = /[();]|\bwhere\b/gi;
  part.lastIndex = from;
  for (let found = part.exec(code); found !== null; found = part.exec(code)) {
    const [text] = found;
    if (text === "(") depth += 1;
    else if (text === ")") depth -= 1;
    else if (depth === 0) return text !== ";";
    if (depth < 0) return false;
  }
  return false;
}
