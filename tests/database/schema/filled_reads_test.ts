/** A contact, a conversation and an instance are told alike by every call that reads them. */

import type * as z from "zod";
import { conversationResponseSchema } from "../../../functions/conversations-api/contract.ts";
import { contactSchema } from "../../../shared/model/contact_record.ts";
import { instanceRecord } from "../../../shared/model/instance_record.ts";
import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import {
  createFilledRows,
  type FilledRows,
  type Values,
} from "../../support/fixtures/filled_rows.ts";

type Members = Readonly<Record<string, unknown>>;
interface List {
  readonly items: readonly Members[];
}

interface World extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly rows: FilledRows;
  read<Answer>(name: string, request?: Values): Promise<Answer>;
}

async function createWorld(): Promise<World> {
  const database = await createTestDatabase();
  const rows = await createFilledRows(database.admin);
  await rows.addMessage({
    ...{ direction: "inbound", status: "received", message_type: "text", media_id: null },
    content: { referral: { title: "Oferta" } },
  });
  const { tenant: { instanceId }, contactId, conversationId } = rows;
  return {
    ...{ database, rows },
    read: (name, request = {}) =>
      callFunction(database.sql, name, { instanceId, contactId, conversationId, ...request }),
    [Symbol.asyncDispose]: () => database.drop(),
  };
}

/**
 * Requires a value, neither null nor false nor empty, of every member that the schema names. Of `on`, which
 * is true by default, it requires false.
 */
function expectEveryMember(
  record: Members,
  schema: Readonly<Record<string, z.ZodType>>,
  on: readonly string[] = [],
): void {
  const empty = Object.keys(schema).filter((name) =>
    [undefined, null, false, "{}", "[]"].includes(
      typeof record[name] === "object"
        ? JSON.stringify(record[name] ?? undefined)
        : record[name] as string,
    )
  );
  assertEquals(empty, on);
}

Deno.test("a contact with a value in every field is told alike by itself, in lists and in its export", async () => {
  await using world = await createWorld();
  const contact = await world.read<Members>("get_contact");
  expectEveryMember(contact, contactSchema.shape);
  const page = { limit: 10, after: null };
  for (const filter of [{}, { q: "ana" }, { updatedSince: "2000-01-01T00:00:00Z" }]) {
    const { items } = await world.read<List>("list_contacts", { ...page, ...filter });
    assertEquals(items.filter(({ contactId }) => contactId === contact["contactId"]), [contact]);
  }
  const { contact: exported } = await world.read<{ contact: Members }>("export_contact");
  assertEquals(exported, contact);
});

Deno.test("a conversation with a value in every field is told alike by itself and in lists", async () => {
  await using world = await createWorld();
  const conversation = await world.read<Members>("get_conversation");
  const { success: _, ...members } = conversationResponseSchema.shape;
  expectEveryMember(conversation, members);
  const page = { limit: 10, after: null };
  const filters = [
    ...[{}, { contactId: null }, { contactId: null, status: "pending" }, { awaitingReply: true }],
    { contactId: null, tag: "vip" },
    { contactId: null, assignedTo: conversation["assignedTo"] },
    { contactId: null, updatedSince: "2000-01-01T00:00:00Z" },
  ];
  for (const filter of filters) {
    const { items } = await world.read<List>("list_conversations", { ...page, ...filter });
    assertEquals(items, [conversation], JSON.stringify(filter));
  }
});

Deno.test("an instance with a value in every setting is told alike by itself and in lists", async () => {
  await using world = await createWorld();
  const instance = await world.read<Members>("get_instance");
  expectEveryMember(instance, instanceRecord, ["configureWebhooks"]);
  const { workspaceId } = world.rows.tenant;
  for (const filter of [{ workspaceId }, { workspaceId: null }]) {
    const { items } = await world.read<List>("list_instances", {
      ...{ instanceId: null, limit: 10, after: null },
      ...filter,
    });
    assertEquals(items, [instance]);
  }
});
