import type { Operation } from "../../../shared/openapi/operation.ts";
import type { OperationsBySlug } from "./document.ts";

const functionsFolder = new URL("../../../functions/", import.meta.url);

/**
 * Reads the operations from the `docs.ts` of every folder of `functions/`, so that a new function
 * needs no entry elsewhere.
 *
 * @throws when a function has no such file.
 */
export async function readOperations(): Promise<OperationsBySlug> {
  const bySlug = new Map<string, readonly Operation[]>();
  for await (const { name, isDirectory } of Deno.readDir(functionsFolder)) {
    if (!isDirectory) continue;
    const module: { operations: readonly Operation[] } = await import(
      new URL(`${name}/docs.ts`, functionsFolder).href
    );
    bySlug.set(name, module.operations);
  }
  return new Map([...bySlug].sort(([a], [b]) => a < b ? -1 : 1));
}
