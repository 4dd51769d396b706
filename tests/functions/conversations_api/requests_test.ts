import { demoDepartmentId, demoOperatorEmail } from "../../../shared/openapi/demo_fixtures.ts";
import { driveRequestTable } from "../contract/request_table.ts";
import { optionalRow, targetRows } from "../contract/request_rows.ts";
import { startService } from "../contract/service.ts";

const v1 = "/functions/v1";

// Specification 4.1, conversations-api/assign.
Deno.test("conversations-api/assign takes each field and refuses its wrong values by name", async () => {
  await using service = await startService();
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/conversations-api/assign`,
    rows: [
      ...targetRows,
      { field: "assignTo", type: "string", required: "yes", value: demoOperatorEmail },
      optionalRow("portfolio", "boolean", true),
      optionalRow("departmentId", "string (UUID)", demoDepartmentId),
    ],
  });
});

// Specification 4.1, conversations-api/status.
Deno.test("conversations-api/status takes each field and refuses its wrong values by name", async () => {
  await using service = await startService();
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/conversations-api/status`,
    rows: [
      ...targetRows,
      {
        field: "status",
        type: "string",
        required: "yes",
        value: "pending",
        refused: ["", "Open", "archived"],
      },
      optionalRow("internalNote", "string", "Ligou."),
    ],
  });
});

// Specification 4.1, conversations-api/note.
Deno.test("conversations-api/note takes each field and refuses its wrong values by name", async () => {
  await using service = await startService();
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/conversations-api/note`,
    rows: [
      ...targetRows,
      { field: "note", type: "string", required: "yes", value: "Ligou.", refused: ["", "  "] },
    ],
  });
});
