import { toVisibleLine } from "../../shared/model/visible_text.ts";

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Formats a value for a cell: a list by its values, a record by its fields. A line break in it would begin
 * a row that nobody has written.
 */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(toCell).join(", ");
  if (!isRecord(value)) return toVisibleLine(String(value));
  return Object.entries(value).filter(([, field]) => field !== null)
    .map(([name, field]) => `${toVisibleLine(name)}=${toCell(field)}`).join(" ");
}

/** The fields of a record with those of the records in it, by their path: `sendWindow.start`. */
function listFields(record: Fields, path: string): (readonly [string, unknown])[] {
  return Object.entries(record).flatMap(([name, value]) => {
    if (isRecord(value)) return listFields(value, `${path}${name}.`);
    if (Array.isArray(value) && value.some(isRecord)) {
      return listFields({ ...value }, `${path}${name}.`);
    }
    return [[`${path}${name}`, value] as const];
  });
}

/** Formats records as aligned columns with headings; a sentence where there are none. */
export function formatTable(
  records: readonly Fields[],
  columns: readonly string[],
): string {
  if (records.length === 0) return "None.";
  const rows = [
    columns.map(toVisibleLine),
    ...records.map((record) => columns.map((name) => toCell(record[name]))),
  ];
  const widths = columns.map((_, column) =>
    Math.max(...rows.map((row) => Array.from(row[column] ?? "").length))
  );
  return rows.map((row) =>
    row.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - Array.from(cell).length))
      .join("  ").trimEnd()
  ).join("\n");
}

/** Formats one record as lines of name and value, without `success`. A record in it has a line for each field. */
export function formatRecord(record: Fields): string {
  const entries = listFields(record, "").filter(([name]) => name !== "success");
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) =>
    `${toVisibleLine(name).padEnd(width)}  ${toCell(value)}`.trimEnd()
  )
    .join("\n");
}
