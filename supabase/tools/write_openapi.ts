/**
 * Generates the OpenAPI document from the functions' contracts, the page that shows it on a static
 * host, docs/versions.md, the tables and sections of error codes in docs/errors.md and the table of providers' webhooks in docs/api.md:
 * `deno task openapi`. With `--check` it writes
 * nothing and fails when a committed file differs from the contracts.
 */

import { renderStaticPage } from "../../functions/api-docs/page.ts";
import { defaultViewerUrl } from "../../functions/api-docs/viewer.ts";
import { composeDocument } from "./openapi/document.ts";
import { writeErrorPage } from "./openapi/error_page.ts";
import { writeWebhookTable } from "./openapi/webhook_table.ts";
import { writeVersionsPage } from "./openapi/versions_page.ts";
import { readOperations } from "./openapi/read_operations.ts";

/** The path of the committed document, beside the function that serves it. */
export const documentFile = new URL("../../functions/api-docs/openapi.json", import.meta.url);

/** The path of the page for a static host, which shows the document beside it. */
export const staticPageFile = new URL("reference.html", documentFile);

/** The path of the page whose table of error codes is generated. */
const errorPageFile = new URL("../../docs/errors.md", import.meta.url);

/** The path of the page of versions. */
const versionsPageFile = new URL("../../docs/versions.md", import.meta.url);

/** The path of the page whose table of providers' webhooks is generated. */
const apiPageFile = new URL("../../docs/api.md", import.meta.url);

/** Renders the document as it is committed. */
export async function writeDocument(): Promise<string> {
  return `${JSON.stringify(composeDocument(await readOperations()), null, 2)}\n`;
}

/** Renders the page as it is committed, from the document. */
export async function writeStaticPage(documentText: string): Promise<string> {
  return await renderStaticPage(JSON.parse(documentText), defaultViewerUrl);
}

/** The result for a file: unchanged, written, or only compared. */
export function reportFile(name: string, isSame: boolean, isCheck: boolean): string {
  const is = isSame ? "is" : isCheck ? "is not" : "is now";
  return `${name} ${is} what the contracts say`;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function main(isCheck: boolean): Promise<number> {
  const documentText = await writeDocument();
  const files = [
    ["functions/api-docs/openapi.json", documentFile, documentText],
    ["functions/api-docs/reference.html", staticPageFile, await writeStaticPage(documentText)],
    ["docs/errors.md", errorPageFile, writeErrorPage(await Deno.readTextFile(errorPageFile))],
    ["docs/versions.md", versionsPageFile, writeVersionsPage()],
    ["docs/api.md", apiPageFile, writeWebhookTable(await Deno.readTextFile(apiPageFile))],
  ] as const;
  let isCurrent = true;
  for (const [name, file, wanted] of files) {
    const isSame = wanted === await Deno.readTextFile(file).catch(() => "");
    if (!isCheck && !isSame) await Deno.writeTextFile(file, wanted);
    print(reportFile(name, isSame, isCheck));
    isCurrent &&= isSame || !isCheck;
  }
  if (isCurrent) return 0;
  print("Run `deno task openapi`.");
  return 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--check")));
