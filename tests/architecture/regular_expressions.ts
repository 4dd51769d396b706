/** The regular expressions of source files, and inputs on which a slow one shows. */

import type { TextFile } from "./repository.ts";

/** A regular expression as it is written. */
export interface WrittenPattern {
  readonly path: string;
  readonly source: string;
  readonly flags: string;
}

/** What Deno's linter shows of a node; it has no types for the others. */
interface SyntaxNode {
  readonly type: string;
  readonly value?: unknown;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
  readonly arguments?: readonly SyntaxNode[];
  readonly range: readonly [number, number];
}

/**
 * The regular expressions in a file: literals, and those that `RegExp` makes of literals. `onUnknown` hears of
 * each that is made of something else.
 */
export function listPatterns(
  { path, text }: TextFile,
  onUnknown: (code: string) => void,
): WrittenPattern[] {
  const patterns: WrittenPattern[] = [];
  const readCall = ({ callee, arguments: given = [], range }: SyntaxNode): void => {
    if (callee?.name !== "RegExp") return;
    const [source, flags] = given.map(({ value }) => value);
    if (typeof source !== "string") return onUnknown(`${path}: ${text.slice(...range)}`);
    patterns.push({ path, source, flags: String(flags ?? "") });
  };
  const visitor = {
    Literal: ({ regex }: SyntaxNode): void => {
      if (regex !== undefined) {
        patterns.push({ path, source: regex.pattern, flags: regex.flags });
      }
    },
    NewExpression: readCall,
    CallExpression: readCall,
  };
  Deno.lint.runPlugin(
    { name: "patterns", rules: { list: { create: () => visitor as Deno.lint.LintVisitor } } },
    path,
    text,
  );
  return patterns;
}

/** Characters that the escapes of a pattern stand for. */
const escapes: Readonly<Record<string, string>> = {
  ...{ s: " ", S: "a", d: "0", D: "a", w: "a", W: " ", n: "\n", r: "\r", t: "\t", p: "a" },
};
const mostCharacters = 9;

/** Parts of inputs that begin matches of the pattern: its own characters, one to three in each order. */
export function listParts(source: string): string[] {
  const characters = new Set<string>();
  const plain = source.replace(/\\([a-zA-Z])(?:\{[^{}]*\}|[0-9a-f]{2,4})?/g, (_, letter) => {
    characters.add(escapes[letter] ?? "a");
    return "";
  });
  for (const character of plain.replace(/\?[:=!<]/g, "")) {
    if (!"\\()|?*+^$[].".includes(character)) characters.add(character);
  }
  const few = [...characters].slice(0, mostCharacters);
  const pairs = few.flatMap((one) => few.map((other) => one + other));
  const triples = few.slice(0, 5).flatMap((one) =>
    few.slice(0, 5).flatMap((other) => few.slice(0, 5).map((third) => one + other + third))
  );
  return [...pairs, ...triples];
}
