import { assertEquals } from "../../support/assert.ts";
import { driveRequestTable, type FieldRow } from "../contract/request_table.ts";
import { optionalRow, targetRows } from "../contract/request_rows.ts";
import { demoTarget, startService } from "../contract/service.ts";

const v1 = "/functions/v1";

const contactRows: readonly FieldRow[] = [
  ...[
    ...["name", "company", "jobTitle", "notes", "utmSource", "utmMedium", "utmCampaign"],
  ].map((field): FieldRow => ({ ...optionalRow(field, "string", "Valor"), isNullable: true })),
  { ...optionalRow("email", "string", "joao@example.com"), isNullable: true, refused: ["joao"] },
  { ...optionalRow("customLabels", "object", { crmId: "4711" }), isNullable: true },
  { ...optionalRow("tags", "array of string", ["lead"]), refused: [["  "], ["x".repeat(51)]] },
];

// Specification 4.3, contacts-api/create.
Deno.test("contacts-api/create takes each field and refuses its wrong values by name", async () => {
  await using service = await startService();
  const path = `${v1}/contacts-api/create`;
  await driveRequestTable(service, { method: "POST", path, rows: [...targetRows, ...contactRows] });
});

// Specification 4.3, contacts-api/update.
Deno.test("contacts-api/update takes each field and refuses its wrong values by name", async () => {
  await using service = await startService();
  const flags = ["isFavorite", "isArchived", "isBlocked"].map((field) =>
    optionalRow(field, "boolean", true)
  );
  const path = `${v1}/contacts-api/update`;
  const rows = [...targetRows, ...contactRows, ...flags];
  await driveRequestTable(service, { method: "POST", path, rows });
});

// Specification 4.3, contacts-api/tags.
Deno.test("contacts-api/tags takes each field and refuses its wrong values by name", async () => {
  await using service = await startService();
  const path = `${v1}/contacts-api/tags`;
  await driveRequestTable(service, {
    method: "POST",
    path,
    least: { addTags: ["lead"] },
    rows: [
      ...targetRows,
      {
        ...optionalRow("addTags", "array of string", ["lead", "vip"]),
        beside: { removeTags: ["cold"] },
      },
      optionalRow("removeTags", "array of string", ["cold"]),
    ],
  });
  assertEquals((await service.call("POST", path, demoTarget)).body.error, "invalid_request");
  for (
    const [addTags, removeTags, issuePath] of [
      [["Lead"], ["cold", "lead "], "removeTags.1"],
      [["a\u00e7\u00e3o"], ["ac\u0327a\u0303o"], "removeTags.0"],
      [["lead", "🎯".repeat(50), ""], [], "addTags.2"],
      [["lead", " ", "vip"], [], "addTags.1"],
      [["lead"], ["🎯".repeat(51)], "removeTags.0"],
      [[{ toString: null }], ["lead"], "addTags.0"],
      [["lead"], [{ toString: null }], "removeTags.0"],
    ] as const
  ) {
    const answer = await service.call("POST", path, { ...demoTarget, addTags, removeTags });
    assertEquals([answer.status, answer.body.error], [400, "invalid_request"]);
    assertEquals(answer.body.issues.map((issue: { path: string }) => issue.path), [issuePath]);
  }
});
