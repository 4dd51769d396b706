/** A TypeScript file for the architecture rules: its imports, and its code without literals. */

import { maskLiterals } from "./mask_literals.ts";

export interface ImportStatement {
  /** As written: `./phone.ts`, `zod`. */
  readonly specifier: string;
  /** The repository path of a relative import; `null` for all others. */
  readonly target: string | null;
  /** `import type`, `export type ... from` and `typeof import()`, which do not exist at run time. */
  readonly isTypeOnly: boolean;
  /** `export ... from`. */
  readonly isReexport: boolean;
  /** `import("...")`, which loads nothing before it is executed. */
  readonly isDynamic: boolean;
}

export interface SourceFile {
  /** Relative to the repository's root, with slashes: `shared/model/phone.ts`. */
  readonly path: string;
  readonly text: string;
  /** `text` without comments and without the contents of literals. */
  readonly code: string;
  readonly imports: readonly ImportStatement[];
}

const importPattern =
  /\b(import|export)(\s+type)?\s*(?:[\w$*{}\s,]+?\bfrom\s*|(?<=import\s*))"(\d+)"/g;
const dynamicImportPattern = /\b(typeof\s+)?import\s*\(\s*"(\d+)"/g;

/** Reads the imports of `text`, dynamic ones with a literal specifier included. */
export function parseSourceFile(path: string, text: string): SourceFile {
  const { code, literals } = maskLiterals(text);
  const describe = (index: string | undefined): Pick<ImportStatement, "specifier" | "target"> => {
    const specifier = literals[Number(index)] ?? "";
    return { specifier, target: resolveRelative(path, specifier) };
  };
  const imports = Array.from(code.matchAll(importPattern), (match) => ({
    ...describe(match[3]),
    isTypeOnly: match[2] !== undefined,
    isReexport: match[1] === "export",
    isDynamic: false,
  }));
  const dynamic = Array.from(code.matchAll(dynamicImportPattern), (match) => ({
    ...describe(match[2]),
    isTypeOnly: match[1] !== undefined,
    isReexport: false,
    isDynamic: true,
  }));
  return { path, text, code, imports: [...imports, ...dynamic] };
}

/** Whether `file` only re-exports modules of the repository. */
export function isBarrel(file: SourceFile): boolean {
  const rest = file.code
    .replace(importPattern, "")
    .replace(/\bexport\s+(?:type\s+)?\{[^}]*\}/g, "")
    .replace(/[;\s]/g, "");
  const passesOn = /\bexport\b/.test(file.code);
  return rest === "" && passesOn && file.imports.some(({ target }) => target !== null);
}

/** Resolves `reference` relative to the file `path`. @returns null when it is not relative. */
export function resolveRelative(path: string, reference: string): string | null {
  if (!/^\.{1,2}\//.test(reference)) return null;
  const parts = path.split("/").slice(0, -1);
  for (const part of reference.split("/")) {
    if (part === "." || part === "") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length === 0 || parts.at(-1) === "..") parts.push("..");
    else parts.pop();
  }
  return parts.join("/");
}
