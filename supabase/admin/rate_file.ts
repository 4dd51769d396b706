/** A file of rates: `market,callingCodes,category,amount,currency,effectiveFrom`, codes separated by spaces. */
import {
  checkRates,
  mostRates,
  replaceRatesSchema,
} from "../../functions/admin-api/resources/rates.ts";
import { findIssues } from "../../shared/http/validate.ts";

const columns = ["market", "callingCodes", "category", "amount", "currency", "effectiveFrom"];

/** A row of a file or of a workspace's table. */
export type RateRow = Readonly<
  Record<"market" | "callingCodes" | "category" | "amount" | "currency" | "effectiveFrom", string>
>;

/** The body of a call from a file. */
export interface RateTable {
  readonly currency: string;
  readonly markets: readonly { readonly name: string; readonly callingCodes: readonly string[] }[];
  readonly rates: readonly Readonly<Record<string, string>>[];
}

/** A row of a file, and the line where it begins. */
interface PlacedRow {
  readonly line: number;
  readonly row: RateRow;
}

/** What is wrong with a file; no line where it is not about one. */
interface Fault {
  readonly line: number;
  readonly text: string;
}

/** The rules of the API: a file that keeps them is refused for no value of its own. */
const tableSchema = replaceRatesSchema.omit({ workspaceId: true, dryRun: true });

/**
 * Reads a file's rows.
 *
 * @throws {RateFileError} that names every wrong line at once.
 */
export function readRateFile(text: string): readonly RateRow[] {
  const [header = { line: 1, cells: [], isQuoteOpen: false }, ...lines] = readLines(text);
  const missing = columns.filter((column) => !header.cells.includes(column));
  if (missing.length > 0) {
    throw new RateFileError([`line ${header.line}: has no column ${missing.join(", ")}`]);
  }
  // Before the rows are compared, so that a file of any other kind is refused at once.
  if (lines.length > mostRates) {
    throw new RateFileError([`the file has ${lines.length} rates, of at most ${mostRates}`]);
  }
  const placed: PlacedRow[] = [];
  const faults: Fault[] = [];
  for (const { line, cells, isQuoteOpen } of lines) {
    if (isQuoteOpen) {
      faults.push({ line, text: "has a quote that does not close" });
      continue;
    }
    if (cells.length !== header.cells.length) {
      faults.push({ line, text: `has ${cells.length} values, not ${header.cells.length}` });
      continue;
    }
    const values = columns.map((column) => [column, cells[header.cells.indexOf(column)] ?? ""]);
    placed.push({ line, row: Object.fromEntries(values) });
  }
  if (lines.length === 0) faults.push({ line: 2, text: "there are no rates" });
  faults.push(...listStrayRows(placed), ...listRefusals(placed));
  if (faults.length > 0) {
    throw new RateFileError(
      faults.sort((one, other) => one.line - other.line)
        .map((fault) => `line ${fault.line}: ${fault.text}`),
    );
  }
  return placed.map(({ row }) => row);
}

/** Rows that contradict an earlier one in what stands once in a table: its currency, a market's calling codes. */
function listStrayRows(placed: readonly PlacedRow[]): Fault[] {
  const currency = placed[0]?.row.currency;
  const firsts = listFirsts(placed.map(({ row }) => row));
  return placed.flatMap(({ line, row }) => {
    const other = firsts.get(row.market);
    return [
      ...row.currency === currency
        ? []
        : [{ line, text: `has the currency ${row.currency}, others ${currency}` }],
      ...other === undefined || other.callingCodes === row.callingCodes
        ? []
        : [{ line, text: `${row.market} has other calling codes in an earlier line` }],
    ];
  });
}

/** What the API would refuse, by the line that it is about: that of a rate, or the first one of a market. */
function listRefusals(placed: readonly PlacedRow[]): Fault[] {
  if (placed.length === 0) return [];
  const table = toRateTable(placed.map(({ row }) => row));
  const { issues } = findIssues(tableSchema, { ...table }, checkRates);
  return issues.map(({ path, message }) => {
    const [list, place, ...members] = path.split(".");
    const about = list === "rates"
      ? placed[Number(place)]
      : placed.find(({ row }) => row.market === table.markets[Number(place)]?.name);
    const isOfOneLine = place !== undefined && about !== undefined;
    const name = isOfOneLine ? members[0] : list;
    return {
      line: (isOfOneLine ? about : placed[0])?.line ?? 1,
      text: name === undefined ? message : `${name} ${message}`,
    };
  });
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
  return {
    currency: rows[0]?.currency ?? "",
    markets: [...listFirsts(rows).values()].map(({ market, callingCodes }) => ({
      name: market,
      callingCodes: callingCodes.split(/\s+/).filter((code) => code !== ""),
    })),
    rates: rows.map(({ market, category, amount, effectiveFrom }) => ({
      ...{ market, category, amount, effectiveFrom },
    })),
  };
}

/** The first row of each market, in their order. */
function listFirsts(rows: readonly RateRow[]): ReadonlyMap<string, RateRow> {
  const first = new Map<string, RateRow>();
  for (const row of rows) if (!first.has(row.market)) first.set(row.market, row);
  return first;
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
  return amount.includes(".") ? amount.replace(/\.?(?<!0)0+$/, "") : amount;
}

/** A record of a file. */
interface FileRecord {
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether one of its cells begins with a quote that does not close before the next comma. */
  readonly isQuoteOpen: boolean;
}

/** The records of a text of comma-separated values (RFC 4180), without empty ones. */
function readLines(text: string): readonly FileRecord[] {
  const records: FileRecord[] = [];
  let [line, cells, isQuoteOpen]: [number, string[], boolean] = [1, [], false];
  let next = line;
  const cellPattern = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/gy;
  const content = text.replace(/^\uFEFF/, "");
  for (const [match, quoted, plain = "", end] of content.matchAll(cellPattern)) {
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    isQuoteOpen ||= plain.startsWith('"');
    next += match.split("\n").length - 1;
    if (end === ",") continue;
    if (cells.some((value) => value !== "")) records.push({ line, cells, isQuoteOpen });
    [line, cells, isQuoteOpen] = [next, [], false];
  }
  return records;
}
