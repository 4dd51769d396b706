/** Which calls record conversation.assigned and conversation.status_changed, and what they say. */

import { assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createOperator } from "../../support/fixtures/tenant.ts";
import {
  createEventWorld,
  type EventWorld,
  inbound,
  phone,
  type RecordedEvent,
  textCall,
} from "../../support/fixtures/event_world.ts";

type Json = Readonly<Record<string, unknown>>;

interface Desk extends EventWorld {
  readonly ana: string;
  readonly bruno: string;
  readonly departmentId: string;
  /** The contact and the conversation. */
  readonly ids: { readonly contactId: string; readonly conversationId: string };
}

/** A known contact with an open conversation, two operators and a department. */
async function createDesk(): Promise<Desk> {
  const world = await createEventWorld();
  const { admin } = world.database;
  const { workspaceId } = world.tenant;
  const [ana, bruno] = [
    await createOperator(admin, workspaceId, { name: "Ana", email: "ana@example.com" }),
    await createOperator(admin, workspaceId, { name: "Bruno", email: "bruno@example.com" }),
  ];
  const { departmentId } = await callFunction<{ departmentId: string }>(
    admin,
    "create_department",
    { workspaceId, name: "Vendas", idempotency: null },
  );
  const { contactId, conversationId } = await world.call("note_conversation", { phone, note: "n" });
  await world.news();
  return { ...world, ana, bruno, departmentId, ids: { contactId, conversationId } };
}

/** An assignment by `conversations-api/assign`, or by a send that carries it. */
function assign(desk: Desk, assignment: Json, message: Json | null = null): Promise<unknown> {
  return desk.call(
    "accept_message",
    textCall({ message, assignment: { portfolio: null, departmentId: null, ...assignment } }),
  );
}

const text = { messageType: "text", message: "Olá", sentBy: "operator" };

for (const [path, message] of Object.entries({ "assign": null, "a send's assignTo": text })) {
  Deno.test(`${path} tells conversation.assigned with the operator before and after, once`, async () => {
    await using desk = await createDesk();
    const { ana, bruno, ids } = desk;
    const assigned = (assignedTo: string, previousAssignedTo: string | null): RecordedEvent => ({
      type: "conversation.assigned",
      data: {
        ...{ ...ids, operatorId: assignedTo, assignedTo, previousAssignedTo },
        ...{ departmentId: null, portfolio: false },
      },
    });
    await assign(desk, { assignTo: ana }, message);
    assertEquals(await desk.news(), [assigned(ana, null)]);
    await assign(desk, { assignTo: ana }, message);
    assertEquals(await desk.news(), [], "the present operator again");
    await assign(desk, { assignTo: bruno }, message);
    assertEquals(await desk.news(), [assigned(bruno, ana)]);
  });
}

Deno.test("another department and the operator's portfolio are conversation.assigned too", async () => {
  await using desk = await createDesk();
  const { ana, departmentId } = desk;
  const told = async (): Promise<unknown[]> =>
    (await desk.news()).map(({ type, data }) => [
      ...[type, data.assignedTo === data.previousAssignedTo],
      ...[data.departmentId, data.portfolio],
    ]);
  await assign(desk, { assignTo: ana });
  assertEquals(await told(), [["conversation.assigned", false, null, false]]);
  await assign(desk, { assignTo: ana, departmentId });
  assertEquals(await told(), [["conversation.assigned", true, departmentId, false]]);
  await assign(desk, { assignTo: ana, portfolio: true });
  assertEquals(await told(), [["conversation.assigned", true, departmentId, true]]);
  await assign(desk, { assignTo: ana, portfolio: true, departmentId });
  assertEquals(await told(), []);
});

Deno.test("conversation.status_changed is told where the status changes, and only there", async () => {
  await using desk = await createDesk();
  const set = async (status: string): Promise<unknown> => {
    await desk.call("set_conversation_status", { phone, status, internalNote: "n" });
    return await desk.news();
  };
  const changed = (status: string): unknown => [{
    type: "conversation.status_changed",
    data: { ...desk.ids, status },
  }];
  assertEquals(await set("open"), []);
  assertEquals(await set("pending"), changed("pending"));
  assertEquals(await set("closed"), changed("closed"));
  assertEquals(await set("closed"), []);
});

Deno.test("a contact that writes again opens its closed conversation: conversation.status_changed", async () => {
  const ways: Readonly<Record<string, Json[]>> = {
    "alone": [inbound("IN1")],
    "with others": [inbound("IN1"), inbound("IN2")],
  };
  for (const [way, events] of Object.entries(ways)) {
    await using desk = await createDesk();
    await desk.receive(...events);
    assertEquals(await desk.news(), [], way);
    await desk.call("set_conversation_status", { phone, status: "closed" });
    await desk.news();
    await desk.receive(
      ...events.map((event) => ({ ...event, providerMessageId: crypto.randomUUID() })),
    );
    assertEquals(await desk.news(), [{
      type: "conversation.status_changed",
      data: { ...desk.ids, status: "open" },
    }], way);
  }
});

Deno.test("a merge tells the operator and the status that the survivor's conversation takes over", async () => {
  await using desk = await createDesk();
  const { ana, ids } = desk;
  await desk.call("set_conversation_status", { phone, status: "closed" });
  const hidden = "111111111111111@lid";
  await desk.receive(inbound("IN1", { address: hidden }));
  await desk.database.admin`
    update messaging.conversations set assigned_to = ${ana} where contact_id <> ${ids.contactId}`;
  await desk.news();
  await desk.receive({
    ...{ kind: "number_change", eventId: "S1", isUserId: true },
    ...{ oldAddress: phone, newAddress: hidden },
  });
  assertEquals(
    (await desk.news()).filter(({ type }) => type.startsWith("conversation.")),
    [
      {
        type: "conversation.assigned",
        data: {
          ...{ ...ids, operatorId: ana, assignedTo: ana, previousAssignedTo: null },
          ...{ departmentId: null, portfolio: false },
        },
      },
      { type: "conversation.status_changed", data: { ...ids, status: "open" } },
    ],
  );
});
