/** One statement of an SQL file, with the comments before it, without its semicolon. */
export interface SqlStatement {
  readonly text: string;
  /** The line of the file on which `text` begins, from 1. */
  readonly line: number;
}

/**
 * Splits an SQL file into statements as the Supabase CLI does: at semicolons outside quotes, dollar
 * quotes, comments and `begin atomic … end` bodies. Trims each statement and drops empty ones.
 */
export function splitStatements(file: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let begin = 0;
  let atomicDepth = 0;
  let wordBefore = "";
  for (let at = 0; at < file.length;) {
    const word = matchAt(/[A-Za-z_][A-Za-z0-9_$]*/y, file, at)?.toLowerCase();
    if (word !== undefined && !isQuotePrefix(file, at, word)) {
      atomicDepth = nextAtomicDepth(atomicDepth, wordBefore, word);
      wordBefore = word;
      at += word.length;
      continue;
    }
    if (file[at] === ";" && atomicDepth === 0) {
      addStatement(statements, file, begin, at);
      begin = at + 1;
    }
    at = skipToken(file, at);
  }
  addStatement(statements, file, begin, file.length);
  return statements;
}

function addStatement(statements: SqlStatement[], file: string, begin: number, end: number): void {
  const piece = file.slice(begin, end);
  const text = piece.trim();
  if (text === "") return;
  const indent = piece.length - piece.trimStart().length;
  statements.push({ text, line: countLines(file.slice(0, begin + indent)) + 1 });
}

/** Counts the line breaks of a text. */
export function countLines(text: string): number {
  return text.split("\n").length - 1;
}

/** The position after the quoted text, comment or character at `at`. */
function skipToken(file: string, at: number): number {
  const dollarTag = matchAt(/\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$/y, file, at);
  if (dollarTag !== undefined) return skipPast(file, dollarTag, at + dollarTag.length);
  if (file.startsWith("--", at)) return skipPast(file, "\n", at);
  if (file.startsWith("/*", at)) return skipBlockComment(file, at);
  const quoted = matchAt(/[eE]'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"/y, file, at);
  return at + (quoted?.length ?? 1);
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

function isQuotePrefix(file: string, at: number, word: string): boolean {
  return word === "e" && file[at + 1] === "'";
}

function matchAt(pattern: RegExp, file: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(file)?.[0];
}
