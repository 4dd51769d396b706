/** A file of rates: `market,callingCodes,category,amount,currency,effectiveFrom`, codes separated by spaces. */

const columns = ["market", "callingCodes", "category", "amount", "currency", "effectiveFrom"];

/** A row of a file or of a workspace's table. */
export type RateRow = Readonly<
  Record<"market" | "callingCodes" | "category" | "amount" | "currency" | "effectiveFrom", string>
>;

/** The body of a call from a file. The API checks its values. */
export interface RateTable {
  readonly currency: string;
  readonly markets: readonly { readonly name: string; readonly callingCodes: readonly string[] }[];
  readonly rates: readonly Readonly<Record<string, string>>[];
}

/**
 * Reads a file's rows.
 *
 * @throws {RateFileError} that names every wrong line at once.
 */
export function readRateFile(text: string): readonly RateRow[] {
  const [header = [], ...lines] = readLines(text);
  const missing = columns.filter((column) => !header.includes(column));
  if (missing.length > 0) {
    throw new RateFileError([`line 1: has no column ${missing.join(", ")}`]);
  }
  const rows: RateRow[] = [];
  const faults: string[] = [];
  for (const [place, cells] of lines.entries()) {
    if (cells.length !== header.length) {
      faults.push(`line ${place + 2}: has ${cells.length} values, not ${header.length}`);
      continue;
    }
    const values = columns.map((column) => [column, cells[header.indexOf(column)] ?? ""]);
    rows.push(Object.fromEntries(values));
  }
  const [first] = rows;
  for (const [place, row] of rows.entries()) {
    if (row.currency !== first?.currency) {
      faults.push(`line ${place + 2}: has the currency ${row.currency}, others ${first?.currency}`);
    }
    const other = rows.find(({ market }) => market === row.market);
    if (other !== undefined && other.callingCodes !== row.callingCodes) {
      faults.push(`line ${place + 2}: ${row.market} has other calling codes in an earlier line`);
    }
  }
  if (first === undefined && faults.length === 0) faults.push("line 2: there are no rates");
  if (faults.length > 0) throw new RateFileError(faults);
  return rows;
}

/** Every fault of a file, a line each. */
export class RateFileError extends Error {
  override readonly name = "RateFileError";
  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
  }
}

/** A file's rows as the body of the call. */
export function toRateTable(rows: readonly RateRow[]): RateTable {
  const codes = new Map(rows.map(({ market, callingCodes }) => [market, callingCodes]));
  return {
    currency: rows[0]?.currency ?? "",
    markets: [...codes].map(([name, text]) => ({
      name,
      callingCodes: text.split(/\s+/).filter((code) => code !== ""),
    })),
    rates: rows.map(({ market, category, amount, effectiveFrom }) => ({
      ...{ market, category, amount, effectiveFrom },
    })),
  };
}

/** What a file would add, remove and change, a line each: `+`, `-`, `former → new`. */
export function compareRates(
  former: readonly RateRow[],
  listed: readonly RateRow[],
): readonly string[] {
  const nameOf = ({ market, category, effectiveFrom }: RateRow): string =>
    `${market}, ${category}, from ${effectiveFrom}`;
  const termsOf = ({ amount, currency, callingCodes }: RateRow): string =>
    `${trimAmount(amount)} ${currency}${callingCodes === "" ? "" : ` (${callingCodes})`}`;
  const before = new Map(former.map((row) => [nameOf(row), termsOf(row)]));
  const after = new Map(listed.map((row) => [nameOf(row), termsOf(row)]));
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === now) return [];
    if (old === undefined) return [`+ ${name}: ${now}`];
    return [now === undefined ? `- ${name}: ${old}` : `~ ${name}: ${old} → ${now}`];
  });
}

/** The same amount in one spelling: `0.0300` is `0.03`. */
function trimAmount(amount: string): string {
  return amount.includes(".") ? amount.replace(/\.?0+$/, "") : amount;
}

/** The lines of a text of comma-separated values (RFC 4180), without empty ones. */
function readLines(text: string): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  const cellPattern = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/gy;
  const content = text.replace(/^\uFEFF/, "");
  for (const [, cell = "", end] of content.matchAll(cellPattern)) {
    cells.push((cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell).trim());
    if (end === ",") continue;
    if (cells.some((value) => value !== "")) lines.push(cells);
    cells = [];
  }
  return lines;
}
