/** The log and the notes of a conversation, where transactions that began earlier change it later. */

import type { Sql } from "postgres";
import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { openSessions } from "../../support/database/sessions.ts";
import { createOperator, createTenant } from "../../support/fixtures/tenant.ts";

const phone = "5511977776666";

Deno.test("log and notes stand in the order in which they became true, whichever transaction began first", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId, workspaceId } = await createTenant(admin);
  const ids: Record<string, string> = {};
  for (const name of ["Ana", "Bia", "Caio", "Davi"]) {
    ids[name] = await createOperator(admin, workspaceId, { name, email: `${name}@example.com` });
  }
  const { one, two } = await openSessions(database);
  const target = { instanceId, phone, idempotency: null };
  const assign = (session: Sql, name: string): Promise<unknown> =>
    callFunction(session, "accept_message", {
      ...{ ...target, message: null, assignment: { assignTo: ids[name] } },
      delivery: { queued: false, delaySeconds: 0, intervalSeconds: null, leaseSeconds: 30 },
    });
  const note = (session: Sql, text: string): Promise<unknown> =>
    callFunction(session, "note_conversation", { ...target, note: text });
  await assign(two, "Ana");
  // Its transaction begins first, and changes the conversation last.
  await one.unsafe("begin");
  await one.unsafe("select now()");
  await assign(two, "Bia");
  await note(two, "segunda");
  await assign(two, "Caio");
  await note(one, "quarta");
  await assign(one, "Davi");
  await one.unsafe("commit");
  const log = await admin`
    select o.name from messaging.chat_transfer_log l
    join messaging.operators o on o.id = l.to_operator_id order by l.transferred_at`;
  assertEquals(log.map(({ name }) => name), ["Bia", "Caio", "Davi"]);
  const notes = await admin`select note from messaging.internal_notes order by created_at`;
  assertEquals(notes.map((row) => row["note"]), [
    "Conversa transferida de Ana para Bia.",
    "segunda",
    "Conversa transferida de Bia para Caio.",
    "quarta",
    "Conversa transferida de Caio para Davi.",
  ]);
});
