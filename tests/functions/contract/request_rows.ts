/** Rows that the request tables of several endpoints share. */

import type { FieldRow } from "./request_table.ts";
import { demoTarget, newPhone } from "./service.ts";

/** Phones that are no bare digits in international form. */
export const formattedPhones = [
  "+5511977776666",
  "55 11 97777-6666",
  "1234567",
  "1".repeat(16),
  "",
];

export const instanceIdRow: FieldRow = {
  field: "instanceId",
  type: "string",
  required: "yes",
  value: demoTarget.instanceId,
};

export const phoneRow: FieldRow = {
  field: "phone",
  type: "string",
  required: "yes",
  value: newPhone,
  refused: formattedPhones,
};

/** The instance and the contact, as most bodies name them. */
export const targetRows: readonly FieldRow[] = [instanceIdRow, phoneRow];

/** A field that may be left out or be null. */
export function optionalRow(field: string, type: FieldRow["type"], value: unknown): FieldRow {
  return { field, type, required: "no", value };
}
