import { assert } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countRowsRead } from "../../support/database/rows_read.ts";
import { analyzeBurst, createBurst } from "../../support/fixtures/burst.ts";

/** Messages and conversations of one instance that no statistics know. */
const stored = 2_000;

const many = [
  `insert into messaging.contacts (id, instance_id, phone, identity_key, origin)
   select md5('many' || n)::uuid, md5('burst1')::uuid, (5531990000000 + n)::text,
     (5531990000000 + n)::text, 'api' from generate_series(1, $1::integer) n`,
  `insert into messaging.conversations (instance_id, contact_id)
   select md5('burst1')::uuid, md5('many' || n)::uuid from generate_series(1, $1::integer) n`,
  `insert into messaging.messages (instance_id, contact_id, conversation_id, direction, message_type,
     message, status, mode, sent_at, provider_message_id)
   select md5('burst1')::uuid, md5('person1')::uuid, md5('talk1')::uuid, 'outbound', 'text', 'x',
     'sent', 'sent', now(), 'many' || n from generate_series(1, $1::integer) n`,
];

Deno.test("a status and a received message read no more where its instance has thousands of rows that statistics do not know", async (test) => {
  await using database = await createTestDatabase({ own: true });
  const { admin } = database;
  await createBurst(admin, 100);
  await analyzeBurst(admin, 100, "all empty");
  await admin.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    for (const insert of many) await transaction.unsafe(insert, [stored]);
  });
  const session = database.connect({ role: "superuser", max: 1 });
  const [instance] = await admin<{ id: string }[]>`select md5('burst1')::uuid as id`;
  const message = { kind: "message", messageType: "text", message: "in", isGroup: false };
  const events = {
    status: { kind: "status", providerMessageId: "many7", status: "delivered" },
    inbound: {
      ...{ ...message, origin: "inbound", providerMessageId: "in1", address: "5521990000001" },
    },
  };
  for (const [what, event] of Object.entries(events)) {
    await test.step(what, async () => {
      const payload = { instanceId: instance?.id, sealedProviderConfig: null, payload: "{}" };
      const request = { ...payload, events: [event] };
      const rows = await countRowsRead(
        session,
        (sql) => callFunction(sql, "record_provider_events", request),
      );
      assert(rows < stored / 4, `${rows} rows read where the instance has ${stored}`);
    });
  }
});
