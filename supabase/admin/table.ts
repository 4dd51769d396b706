import { toVisibleJson, toVisibleLine } from "../../shared/model/visible_text.ts";

/** Formats a value for a cell. A line break in it would begin a row that nobody has written. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? toVisibleJson(value) : toVisibleLine(String(value));
}

/** Formats records as aligned columns with headings; a sentence where there are none. */
export function formatTable(
  records: readonly Readonly<Record<string, unknown>>[],
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

/** Formats one record as lines of name and value, without `success`. */
export function formatRecord(record: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(record).filter(([name]) => name !== "success");
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) =>
    `${toVisibleLine(name).padEnd(width)}  ${toCell(value)}`.trimEnd()
  )
    .join("\n");
}
