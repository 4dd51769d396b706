import {
  demoContactId,
  demoConversationId,
  demoPhone,
} from "../../../shared/openapi/demo_fixtures.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { driveRequestTable, type FieldRow } from "../contract/request_table.ts";
import { formattedPhones } from "../contract/request_rows.ts";
import { demoInstanceId, demoTarget, newPhone, startService } from "../contract/service.ts";

const v1 = "/functions/v1";

// Specification 4.2, messages-context.
Deno.test("messages-context takes each parameter and refuses its wrong values by name", async () => {
  await using service = await startService();
  const text = "text of the query";
  const refuses = (field: string, value: unknown, refused: readonly unknown[]): FieldRow => ({
    field,
    type: text,
    required: "no",
    value,
    refused,
  });
  const days = ["2026-11-1", "01/11/2026", "2026-02-30", ""];
  await driveRequestTable(service, {
    method: "GET",
    path: `${v1}/messages-context`,
    least: { instanceId: demoTarget.instanceId },
    rows: [
      { field: "phone", type: text, required: "yes", value: newPhone, refused: formattedPhones },
      { field: "start", type: text, required: "yes", value: "2026-11-01", refused: days },
      { field: "end", type: text, required: "yes", value: "2026-11-23", refused: days },
      {
        field: "instanceId",
        type: text,
        required: "conditional",
        value: demoInstanceId,
        beside: { connectedPhone: undefined },
      },
      {
        field: "connectedPhone",
        type: text,
        required: "conditional",
        value: "5511999990000",
        beside: { instanceId: undefined },
        refused: ["+5511999990000"],
      },
      refuses("limit", "10", ["0", "1001", "-1", "1.5", "ten", ""]),
      refuses("fromMe", "true", ["1", "yes", "TRUE", ""]),
      refuses("attachments", "false", ["0", "no", ""]),
      refuses("format", "raw", ["llm", "Raw", ""]),
      refuses("includeMeta", "false", ["0", ""]),
    ],
  });
  const { status, body } = await service.call("GET", `${v1}/messages-context`, {
    phone: newPhone,
    start: "2026-11-01",
    end: "2026-11-23",
  });
  assertEquals([status, body.error], [400, "invalid_request"], "one of the two is required");
});

// Specification 8, limit.
Deno.test("messages-context returns at most 100 messages by default", async () => {
  await using service = await startService();
  await service.sql`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, status, sent_at
    )
    select ${demoInstanceId}, ${demoContactId}, ${demoConversationId}, 'inbound', 'text', 'Olá',
      'received', now() - make_interval(secs => n)
    from generate_series(1, 130) as n`;
  const today = new Date().toISOString().slice(0, 10);
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const read = async (members: Record<string, unknown>): Promise<number> => {
    const query = { instanceId: "demo", phone: demoPhone, start: day, end: today, ...members };
    const { body } = await service.call("GET", "/functions/v1/messages-context", query);
    assertEquals(body.conversation.length, body.totalMessages);
    return body.totalMessages;
  };
  assertEquals(await read({}), 100);
  assertEquals(await read({ limit: 7 }), 7);
  assert(await read({ limit: 1_000 }) > 130);
});
