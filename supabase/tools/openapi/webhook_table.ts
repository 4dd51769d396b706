import { operations } from "../../../functions/provider-webhook/docs.ts";
import { toPathTemplate } from "./document.ts";
import { writeTable } from "./markdown_table.ts";

const head = ["Method", "Path", "What it does", "Contract"] as const;
const contract = "[docs.ts](../functions/provider-webhook/docs.ts)";

/** The table under the heading of the providers' events. */
const tablePattern = /(?<=^## Providers' events\n\n)(?:\|.*\n)+/m;

/**
 * The page of endpoints with the providers' webhooks as their folders describe them, laid out as the
 * formatter does.
 *
 * @throws {Error} where the page lacks the table.
 */
export function writeWebhookTable(page: string): string {
  if (!tablePattern.test(page)) throw new Error("the page has no table of providers' events");
  const rows = operations.map(({ method, path, summary }) => [
    method,
    `\`${toPathTemplate("provider-webhook", path)}\``,
    summary,
    contract,
  ]);
  return page.replace(tablePattern, () => writeTable([head, ...rows]));
}
