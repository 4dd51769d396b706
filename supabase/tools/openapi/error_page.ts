import { listErrors } from "../../../shared/model/errors.ts";

const codesHead = "`error`";
const statusHead = "Status";

/** The first table of `page` whose columns are status and error. */
const tablePattern = /^\| Status +\| `error` +\|\n(?:\|.*\n)+/m;

/**
 * The page of error codes with its table as the code has it, laid out as the formatter does.
 *
 * @throws {Error} where the page has no such table.
 */
export function writeErrorPage(page: string): string {
  if (!tablePattern.test(page)) throw new Error("the page has no table of error codes");
  return page.replace(tablePattern, () => writeCodesByStatus());
}

function writeCodesByStatus(): string {
  const byStatus = Map.groupBy(listErrors(), ({ status }) => status);
  const rows = [...byStatus].toSorted(([a], [b]) => a - b).map(([status, errors]) =>
    [`${status}`, errors.map(({ code }) => `\`${code}\``).join(", ")] as const
  );
  const width = Math.max(codesHead.length, ...rows.map(([, codes]) => codes.length));
  const writeRow = (status: string, codes: string): string =>
    `| ${status.padEnd(statusHead.length)} | ${codes.padEnd(width)} |\n`;
  return [
    writeRow(statusHead, codesHead),
    writeRow("-".repeat(statusHead.length), "-".repeat(width)),
    ...rows.map(([status, codes]) => writeRow(status, codes)),
  ].join("");
}
