/** Events of contacts, conversations and the agent, from the API's calls to the feed. */

import { assertEquals } from "../../support/assert.ts";
import {
  createDemoOperator,
  demoTarget,
  type Members,
  newPhone,
  type Service,
  startService,
} from "../contract/service.ts";

interface Follower {
  /** Calls, and returns the types and data that the feed tells of since the last look. */
  after(path: string, members?: Members): Promise<readonly (readonly [string, Members])[]>;
}

/** A reader of the feed that begins now. */
async function follow(service: Service): Promise<Follower> {
  const path = "/functions/v1/events-api/events";
  let cursor: string = (await service.call("GET", path, {})).body.nextCursor;
  return {
    after: async (called, members = {}) => {
      await service.post(`/functions/v1/${called}`, { ...demoTarget, ...members });
      const { body } = await service.call("GET", path, { after: cursor });
      cursor = body.nextCursor;
      return body.items.map(({ type, data }: Record<string, unknown>) => [type, data]);
    },
  };
}

Deno.test("the feed tells what the API's calls make of a contact, its conversation and the agent", async () => {
  await using service = await startService();
  const operatorId = await createDemoOperator(service.sql, "carla@example.com");
  const { after } = await follow(service);

  const [created] = await after("contacts-api/create", { name: "João", tags: ["vip"] });
  const contactId = created?.[1]["contactId"];
  assertEquals(created, ["contact.created", { contactId, phone: newPhone, name: "João" }]);
  const changed = { name: "José", email: "j@example.com", tags: ["vip"] };
  assertEquals(await after("contacts-api/update", changed), [[
    "contact.updated",
    { contactId, phone: newPhone, name: "José", fieldsUpdated: ["email", "name"] },
  ]]);
  assertEquals(await after("contacts-api/update", changed), [], "the same again");
  const tagged = await after("contacts-api/tags", { addTags: ["novo"] });
  assertEquals(tagged.map(([type, data]) => [type, data["fieldsUpdated"]]), [
    ["contact.updated", ["tags"]],
  ]);

  const [assigned, ...others] = await after("conversations-api/assign", { assignTo: operatorId });
  const conversationId = assigned?.[1]["conversationId"];
  assertEquals([assigned, ...others], [["conversation.assigned", {
    ...{ contactId, conversationId, operatorId, assignedTo: operatorId },
    ...{ previousAssignedTo: null, departmentId: null, portfolio: false },
  }]]);
  assertEquals(await after("conversations-api/assign", { assignTo: operatorId }), []);
  assertEquals(await after("conversations-api/status", { status: "closed" }), [
    ["conversation.status_changed", { contactId, conversationId, status: "closed" }],
  ]);
  assertEquals(await after("conversations-api/status", { status: "closed" }), []);

  const paused = await after("conversations-api/agent-pause", { paused: true });
  assertEquals(paused.map(([type]) => type), ["agent.paused"]);
  assertEquals(await after("conversations-api/agent-pause", { paused: false }), [
    ["agent.resumed", { contactId, pausedUntil: null }],
  ]);
  assertEquals(await after("conversations-api/agent-pause", { paused: false }), []);
});
