import { demoContactId } from "../../../shared/openapi/demo_fixtures.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { demoInstanceId, demoTarget, startService } from "./service.ts";

Deno.test("every endpoint that takes a phone to write to creates the missing contact, with origin api", async () => {
  await using service = await startService();
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ["contacts-api/create", {}],
    ["contacts-api/update", { name: "Ana" }],
    ["contacts-api/tags", { addTags: ["lead"] }],
    ["conversations-api/assign", { assignTo: "ana@example.com" }],
    ["conversations-api/unassign", {}],
    ["conversations-api/status", { status: "closed" }],
    ["conversations-api/note", { note: "x" }],
    ["send-message", { messageType: "text", message: "x" }],
    ["process-ai-agent", { messageText: "x", initiateConversation: true }],
  ];
  for (const [index, [path, members]] of calls.entries()) {
    const phone = `55119777700${String(index).padStart(2, "0")}`;
    const { contactId } = await service.post(`/functions/v1/${path}`, {
      ...demoTarget,
      phone,
      ...members,
    });
    const [contact] = await service.sql`
      select id, origin from messaging.contacts
      where instance_id = ${demoInstanceId} and phone = ${phone}`;
    assertEquals([contact?.["id"], contact?.["origin"]], [contactId, "api"], path);
    assert(contactId !== demoContactId);
  }
});
