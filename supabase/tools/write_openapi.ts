/**
 * Writes the OpenAPI document out of the functions' contracts: `deno task openapi`. With `--check` it
 * writes nothing and fails when the committed document is not what the contracts say.
 */

import { composeDocument } from "./openapi/document.ts";
import { readOperations } from "./openapi/read_operations.ts";

/** Where the document is committed: beside the function that serves it. */
export const documentFile = new URL("../../functions/api-docs/openapi.json", import.meta.url);

/** The document's text as it is committed. */
export async function writeDocument(): Promise<string> {
  return `${JSON.stringify(composeDocument(await readOperations()), null, 2)}\n`;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function main(check: boolean): Promise<number> {
  const wanted = await writeDocument();
  const committed = await Deno.readTextFile(documentFile).catch(() => "");
  const isCurrent = committed === wanted;
  if (!check && !isCurrent) await Deno.writeTextFile(documentFile, wanted);
  const name = "functions/api-docs/openapi.json";
  print(`${name} ${isCurrent || !check ? "is" : "is not"} what the contracts say`);
  if (isCurrent || !check) return 0;
  print("Run `deno task openapi`.");
  return 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--check")));
