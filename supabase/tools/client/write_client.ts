/**
 * Generates the types and methods of `packages/client`, and the n8n nodes' lists of choices, from the
 * OpenAPI document: the second half of `deno task openapi`. With `--check` it writes nothing and fails when a committed file differs.
 */

import openapiTS, { astToString } from "openapi-typescript";
import { documentFile, reportFile } from "../write_openapi.ts";
import { listClientOperations, listErrorCodes, reduceDocument } from "./client_document.ts";
import { writeMethods } from "./client_methods.ts";
import { writeN8nOptions } from "./n8n_options.ts";

/** A generated file with the text that it must have. */
export interface GeneratedFile {
  /** Relative to the repository's root. */
  readonly name: string;
  readonly url: URL;
  readonly text: string;
}

const root = new URL("../../../", import.meta.url);

/** The packages' generated files, from the text of the document. */
export async function generateClient(documentText: string): Promise<GeneratedFile[]> {
  const document = JSON.parse(documentText);
  const types = astToString(await openapiTS(reduceDocument(document)));
  const head = "// Written by `deno task openapi` from the OpenAPI document. Do not edit.\n\n";
  const operations = listClientOperations(document);
  return [
    generated("packages/client/src/api.ts", `${head}${types}`),
    generated(
      "packages/client/src/methods.ts",
      writeMethods(operations, listErrorCodes(document)),
    ),
    generated(
      "packages/n8n-nodes-messaging-integration/nodes/MessagingIntegration/options.ts",
      writeN8nOptions(document),
    ),
  ];
}

function generated(name: string, text: string): GeneratedFile {
  return { name, url: new URL(name, root), text };
}

async function main(isCheck: boolean): Promise<number> {
  const files = await generateClient(await Deno.readTextFile(documentFile));
  let isCurrent = true;
  for (const { name, url, text } of files) {
    const isSame = text === await Deno.readTextFile(url).catch(() => "");
    if (!isCheck && !isSame) await Deno.writeTextFile(url, text);
    const line = reportFile(name, isSame, isCheck);
    Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
    isCurrent &&= isSame || !isCheck;
  }
  return isCurrent ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--check")));
