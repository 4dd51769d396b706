import { assertEquals } from "../../support/assert.ts";
import { driveRequestTable, type FieldRow } from "../contract/request_table.ts";
import { startService } from "../contract/service.ts";

const v1 = "/functions/v1";

// Specification 4.6, sanitize-phone-number.
Deno.test("sanitize-phone-number takes any text as a phone and answers its digits", async () => {
  await using service = await startService();
  const path = `${v1}/sanitize-phone-number`;
  const row: FieldRow = { field: "phone", type: "string", required: "yes", value: "+55 11 9" };
  await driveRequestTable(service, { method: "POST", path, rows: [row] });
  for (
    const [original, sanitized] of [
      ["+55 (11) 98888-7777", "5511988887777"],
      ["5511988887777", "5511988887777"],
      ["tel: 0800 123", "0800123"],
      ["---", ""],
    ]
  ) {
    const answer = await service.post(path, { phone: original });
    assertEquals(answer, { success: true, original, sanitized });
  }
});
