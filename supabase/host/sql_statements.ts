/** One statement of an SQL file, with the comments before it, without its semicolon. */
export interface SqlStatement {
  readonly text: string;
  /** The line of the file on which `text` begins, from 1. */
  readonly line: number;
}

/**
 * What may hold or end a statement: quoted text, a word, the begin of a dollar quote or of a comment, and
 * a semicolon.
 */
const token =
  /[eE]'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<word>[A-Za-z_][A-Za-z0-9_$]*)|(?<dollarTag>\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$)|--|\/\*|;/g;

/**
 * Splits an SQL file into statements as the Supabase CLI does: at semicolons outside quotes, dollar
 * quotes, comments and `begin atomic … end` bodies. Trims each statement and drops empty ones.
 */
export function splitStatements(file: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let begin = 0;
  let line = 1;
  for (const end of [...findSeparators(file), file.length]) {
    const piece = file.slice(begin, end);
    const indent = piece.slice(0, piece.length - piece.trimStart().length);
    const text = piece.trim();
    if (text !== "") statements.push({ text, line: line + countLines(indent) });
    line += countLines(piece);
    begin = end + 1;
  }
  return statements;
}

/** The positions of the semicolons between statements. */
function findSeparators(file: string): number[] {
  const separators: number[] = [];
  let atomicDepth = 0;
  let wordBefore = "";
  token.lastIndex = 0;
  for (let found = token.exec(file); found !== null; found = token.exec(file)) {
    const { word, dollarTag } = found.groups ?? {};
    const begin = found[0];
    if (word !== undefined) {
      const lower = word.toLowerCase();
      atomicDepth = nextAtomicDepth(atomicDepth, wordBefore, lower);
      wordBefore = lower;
    } else if (begin === ";") {
      if (atomicDepth === 0) separators.push(found.index);
    } else if (begin === "--") {
      token.lastIndex = skipPast(file, "\n", token.lastIndex);
    } else if (begin === "/*") {
      token.lastIndex = skipBlockComment(file, found.index);
    } else if (dollarTag !== undefined) {
      token.lastIndex = skipPast(file, dollarTag, token.lastIndex);
    }
  }
  return separators;
}

/** Counts the line breaks of a text. */
export function countLines(text: string): number {
  return text.split("\n").length - 1;
}

function skipPast(file: string, mark: string, from: number): number {
  const found = file.indexOf(mark, from);
  return found === -1 ? file.length : found + mark.length;
}

// Block comments nest in SQL.
function skipBlockComment(file: string, from: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  let depth = 0;
  for (let found = mark.exec(file); found !== null; found = mark.exec(file)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return file.length;
}

function nextAtomicDepth(depth: number, wordBefore: string, word: string): number {
  if (depth === 0) return wordBefore === "begin" && word === "atomic" ? 1 : 0;
  if (word === "case") return depth + 1;
  return word === "end" ? depth - 1 : depth;
}
