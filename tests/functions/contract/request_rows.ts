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

/** What sending calls take as `metadata`, at its limits, and what they refuse. */
export const metadataRow: FieldRow = {
  field: "metadata",
  type: "object",
  required: "no",
  value: {
    ...Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`key_${index}`, ""])),
    ["k".repeat(40)]: "😀".repeat(200),
    ["😀".repeat(40)]: "v".repeat(200),
  },
  refused: [
    Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key_${index}`, "v"])),
    { "": "v" },
    { ["k".repeat(41)]: "v" },
    { key: "v".repeat(201) },
    ...[5, true, null, {}, ["v"]].map((value) => ({ key: value })),
    { key: "a\u0000b" },
    { key: "\ud800" },
    { "a\u0000b": "v" },
    JSON.parse('{"__proto__": 5}'),
  ],
};

/** A field that may be left out or be null. */
export function optionalRow(field: string, type: FieldRow["type"], value: unknown): FieldRow {
  return { field, type, required: "no", value };
}
