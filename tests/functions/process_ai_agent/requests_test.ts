import { assertEquals } from "../../support/assert.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import { driveRequestTable } from "../contract/request_table.ts";
import { metadataRow, optionalRow, targetRows } from "../contract/request_rows.ts";
import { demoAgentId, demoInstanceId, demoTarget, startService } from "../contract/service.ts";

const v1 = "/functions/v1";

// Specification 4.5, process-ai-agent.
Deno.test("process-ai-agent takes each field and refuses its wrong values by name", async () => {
  await using service = await startService();
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/process-ai-agent`,
    rows: [
      ...targetRows,
      { field: "messageText", type: "string", required: "yes", value: "Oi!", refused: [""] },
      {
        field: "initiateConversation",
        type: "boolean",
        required: "yes",
        value: true,
        refused: [false],
      },
      optionalRow("agentId", "string (UUID)", demoAgentId),
      {
        ...optionalRow("externalContext", "object", { order: "4711" }),
        refused: [{ a: "x".repeat(33_000) }],
      },
      optionalRow("queued", "boolean", true),
      {
        ...optionalRow("intervalSeconds", "number", 60),
        beside: { queued: true },
        refused: [9, 3_601],
      },
      optionalRow("sentBy", "string", "crm"),
      metadataRow,
    ],
  });
});

// Specification 4.5.
Deno.test("agentId is required when the instance has several agents", async () => {
  await using service = await startService();
  const second = await createAgent(service.sql, demoInstanceId);
  const path = `${v1}/process-ai-agent`;
  const body = { ...demoTarget, messageText: "Oi!", initiateConversation: true };
  const refused = await service.call("POST", path, body);
  assertEquals([refused.status, refused.body.error], [400, "agent_id_required"]);
  assertEquals((await service.post(path, { ...body, agentId: second })).agentId, second);
});
