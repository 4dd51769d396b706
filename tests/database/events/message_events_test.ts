import { eventTypes } from "../../../shared/model/event_types.ts";
import { assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import {
  createEventWorld,
  echo,
  type EventWorld,
  immediate,
  inbound,
  textCall,
} from "../../support/fixtures/event_world.ts";

const delayed = { ...immediate, delaySeconds: 60 };

Deno.test("every type of message event is written by a path, with the state that it tells", async () => {
  await using world = await createEventWorld();
  const seen = new Set<string>();
  const expect = async (types: string[], statuses: string[]): Promise<void> => {
    const events = (await world.news({ ofMessages: true }))
      .filter(({ type }) => type.startsWith("message."));
    assertEquals(events.map(({ type }) => type), types);
    assertEquals(events.map(({ data }) => data.status), statuses);
    for (const { type, data } of events) {
      seen.add(type);
      if (type === "message.sent") assertEquals([data.deliveredAt, data.readAt], [null, null]);
    }
  };

  await accept(world, "accepted", "id-1");
  await expect(["message.sent"], ["sent"]);
  await world.receive(status("id-1", "delivered"));
  await world.receive(status("id-1", "delivered"));
  await world.receive(status("id-1", "read"));
  await expect(["message.delivered", "message.read"], ["delivered", "read"]);

  const early = await accept(world);
  await world.receive({ ...status("id-2", "delivered"), messageId: early.messageId });
  await expect(["message.sent", "message.delivered"], ["sent", "delivered"]);
  await settle(world, early, "accepted", "id-2");
  await expect([], []);

  await accept(world, "rejected");
  await expect(["message.failed"], ["failed"]);
  await accept(world, "unknown");
  await expect(["message.unconfirmed"], ["unconfirmed"]);

  const waiting = await world.call("accept_message", textCall({ delivery: delayed }));
  await world.call("cancel_message", { messageId: waiting.messageId });
  await world.call("cancel_message", { messageId: waiting.messageId });
  await expect(["message.canceled"], ["canceled"]);

  const late = { ...delayed, timing: { expiresAt: new Date(Date.now() + 7_200_000) } };
  await world.call("accept_message", textCall({ delivery: late }));
  await letTimePass(world.database.admin, 7_200);
  await callFunction(world.database.sql, "expire_messages", { maxMessages: 10 });
  await expect(["message.expired"], ["expired"]);

  await world.receive(inbound("in-1"));
  await world.receive(inbound("in-1"));
  await world.receive(inbound("in-2"), inbound("in-3"));
  await expect(
    ["message.received", "message.received", "message.received"],
    ["received", "received", "received"],
  );
  await world.receive({ kind: "message_edit", providerMessageId: "in-1", message: "olá" });
  await expect(["message.edited"], ["received"]);
  const deletion = (id: string): Readonly<Record<string, unknown>> => ({
    kind: "message_deletion",
    providerMessageId: id,
  });
  await world.receive(deletion("in-1"), deletion("id-1"), deletion("in-1"));
  await world.receive(deletion("id-1"), deletion("nobody's"));
  await expect(["message.deleted", "message.deleted"], ["received", "read"]);

  const { messageType: _, ...reaction } = inbound("in-4", { message: "[reaction] 👍" });
  const told = { ...reaction, kind: "reaction", emoji: "👍", quotedProviderMessageId: "in-2" };
  await world.receive(told);
  await world.receive(told);
  await expect(["message.reaction"], ["received"]);

  await world.receive(echo("typed-1"));
  await expect(["message.sent"], ["sent"]);
  const doubled = await accept(world);
  await world.receive(echo("id-9", { message: "Olá de novo" }));
  await settle(world, doubled, "accepted", "id-9");
  await expect(
    ["message.sent", "message.sent", "message.deleted"],
    ["sent", "sent", "sent"],
  );
  assertEquals(eventTypes.filter((type) => type.startsWith("message.") && !seen.has(type)), []);
});

Deno.test("a left-out file of an import is told when a person edits its words, and not when it comes after all", async () => {
  await using world = await createEventWorld();
  const content = { isImported: true, unsupportedType: "media_placeholder" };
  const at = new Date(Date.now() - 86_400_000);
  const imported = { kind: "imported_message", at };
  await world.receive(inbound("in-1", { ...imported, message: "[media]", content }));
  await world.receive({ kind: "message_edit", providerMessageId: "in-1", message: "outra" });
  assertEquals(await listTypes(world), ["message.edited"]);
  await world.receive(inbound("in-1", { ...imported, content: { isImported: true } }));
  assertEquals(await listTypes(world), []);
});

async function listTypes(world: EventWorld): Promise<string[]> {
  return (await world.news({ ofMessages: true })).map(({ type }) => type)
    .filter((type) => type.startsWith("message."));
}

type Claim = Readonly<Record<"messageId" | "claimToken", string>>;

/** Accepts an immediate send, and settles it where an outcome is given. */
async function accept(
  world: EventWorld,
  outcome?: string,
  providerMessageId?: string,
): Promise<Claim> {
  const claim: Claim = await world.call("accept_message", textCall());
  if (outcome !== undefined) await settle(world, claim, outcome, providerMessageId);
  return claim;
}

async function settle(
  world: EventWorld,
  { messageId, claimToken }: Claim,
  outcome: string,
  providerMessageId: string | null = null,
): Promise<void> {
  const error = outcome === "accepted" ? null : { code: "x", message: "no" };
  await callFunction(world.database.sql, "settle_messages", {
    results: [{ messageId, claimToken, outcome, providerMessageId, error }],
    ...{ idempotency: null, response: null },
  });
}

function status(providerMessageId: string, told: string): Readonly<Record<string, unknown>> {
  return { kind: "status", providerMessageId, status: told };
}
