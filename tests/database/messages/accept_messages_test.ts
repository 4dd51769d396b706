/** The batch of sending calls against the single call, whose results it promises. */

import { hashClientToken } from "../../../shared/crypto/client_token.ts";
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import {
  createAgent,
  createOperator,
  createTenant,
  type Tenant,
} from "../../support/fixtures/tenant.ts";

type Json = Readonly<Record<string, unknown>>;

const phone = "5511987654321";
const idPattern = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function plainCall(tenant: Tenant, fields: Json = {}): Json {
  return {
    ...{ instanceId: tenant.instanceId, phone, idempotency: null, assignment: null, agent: null },
    message: { messageType: "text", message: "Olá" },
    delivery: { queued: false, intervalSeconds: 30, delaySeconds: 0, leaseSeconds: 30 },
    ...fields,
  };
}

async function acceptAll(
  database: TestDatabase,
  calls: readonly Json[],
): Promise<readonly (Json | null)[]> {
  const { results } = await callFunction<{ results: (Json | null)[] }>(
    database.sql,
    "accept_messages",
    { calls },
  );
  return results;
}

/** Everything that was stored, with the ids replaced by their order of appearance. */
async function readStored(database: TestDatabase): Promise<string> {
  const [row] = await database.admin<{ stored: string }[]>`
    select concat_ws(
      e'\n',
      (select string_agg((to_jsonb(m) - 'created_at')::text, e'\n' order by message)
        from messaging.messages m),
      (select string_agg((
          to_jsonb(q) - 'position' - 'scheduled_at' - 'visible_at' - 'lease_until'
        )::text, e'\n' order by message)
        from messaging.message_queue q join messaging.messages m on m.id = q.message_id),
      (select string_agg((to_jsonb(c) - 'created_at' - 'updated_at')::text, e'\n' order by identity_key)
        from messaging.contacts c),
      (select string_agg((to_jsonb(k) - 'created_at')::text, e'\n' order by key)
        from messaging.idempotency_keys k),
      (select string_agg((to_jsonb(p) - 'paused_until')::text, e'\n' order by phone)
        from messaging.agent_pauses p join messaging.contacts c on c.id = p.contact_id)
    ) as stored`;
  return withoutIds(row?.stored ?? "");
}

function withoutIds(text: string): string {
  const seen = new Map<string, string>();
  return text.replaceAll(idPattern, (id) => {
    if (!seen.has(id)) seen.set(id, `<${seen.size}>`);
    return seen.get(id) ?? "";
  }).replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+[-+]\d{2}:\d{2}/g, "<instant>");
}

/** A tenant with an agent, an operator's conversation, and a contact that is known by another spelling. */
async function prepare(database: TestDatabase): Promise<Tenant> {
  const instanceId = "00000000-0000-4000-8000-000000000001";
  const tenant = await createTenant(database.admin, { provider: "whatsapp_cloud", instanceId });
  await createAgent(database.admin, tenant.instanceId);
  const assignTo = await createOperator(database.admin, tenant.workspaceId, {
    name: "Ana",
    email: "ana@example.com",
  });
  const known = plainCall(tenant, { assignment: { assignTo }, message: null });
  await callFunction(database.sql, "accept_message", known);
  await callFunction(database.sql, "save_contact", {
    ...{ instanceId: tenant.instanceId, phone: "5521912345678", idempotency: null },
    ...{ fields: { name: "Sem conversa" }, tags: null },
  });
  await callFunction(database.sql, "record_provider_events", {
    ...{ instanceId: tenant.instanceId, sealedProviderConfig: null, payload: "{}" },
    events: [{
      ...{ kind: "message", origin: "inbound", providerMessageId: "in-1", isGroup: false },
      ...{ address: "5531988887777", otherAddresses: [], messageType: "text", message: "0" },
    }],
  });
  return tenant;
}

const calls: Readonly<Record<string, Json>> = {
  "to a known contact": { message: { messageType: "text", message: "1", sentBy: "operator" } },
  "with every field": {
    idempotency: { scope: "s", key: "k2", fingerprint: "f" },
    message: {
      ...{ messageType: "image", message: "2", content: { mediaUrl: "https://a.example/b.png" } },
      ...{ cardId: "c", sentBy: "automation", delayTypingMs: 1_500, metadata: { order: "7" } },
    },
  },
  "to a contact of another spelling": {
    phone: "551187654321",
    message: { messageType: "text", message: "3" },
  },
  "to a contact without a conversation": {
    phone: "5521912345678",
    message: { messageType: "text", message: "4" },
  },
  "to the sender of an inbound message": {
    phone: "553188887777",
    message: { messageType: "text", message: "5" },
  },
  "to a new contact": {
    phone: "4915112345678",
    idempotency: { scope: "s", key: "k6", fingerprint: "f" },
    message: { messageType: "text", message: "6" },
  },
};

for (const agents of ["with", "without"]) {
  Deno.test(`a batch answers and stores byte by byte what single calls do, ${agents} an active agent`, async () => {
    const answers: string[] = [];
    for (const isBatch of [true, false]) {
      await using database = await createTestDatabase();
      const tenant = await prepare(database);
      if (agents === "without") {
        await database.admin`update messaging.ai_agents set is_active = false`;
      }
      const requests = Object.values(calls).map((fields) => plainCall(tenant, fields));
      const results = [];
      if (isBatch) results.push(...await acceptAll(database, requests));
      else {
        for (const request of requests) {
          results.push(await callFunction<Json>(database.sql, "accept_message", request));
        }
      }
      assert(results.every((result) => result !== null));
      const tokens = await database.admin<{ claim_token: string }[]>`
        select claim_token from messaging.message_queue`;
      assertEquals(
        results.map((result) => result?.["claimToken"]).sort(),
        tokens.map(({ claim_token }) => claim_token).sort(),
      );
      answers.push(withoutIds(JSON.stringify(results)) + "\n" + await readStored(database));
    }
    assertEquals(answers[0], answers[1]);
  });
}

/** Calls that are not plain or must be refused, each with the SQLSTATE of the single call. */
const left: readonly (readonly [name: string, fields: Json, sqlstate: string | null])[] = [
  ["a queued call", { delivery: { queued: true, intervalSeconds: 30, delaySeconds: 0 } }, null],
  ["a delayed call", { delivery: { queued: false, delaySeconds: 5, leaseSeconds: 30 } }, null],
  ["a deferred call", {
    delivery: { queued: false, isDeferred: true, delaySeconds: 0, leaseSeconds: 30 },
  }, null],
  [
    "the agent's words",
    { message: { messageType: "text", message: "x", sentBy: "ai_agent" } },
    null,
  ],
  ["an assignment", { assignment: { assignTo: "ana@example.com" } }, null],
  ["an assignment alone", { assignment: { assignTo: "ana@example.com" }, message: null }, null],
  ["an agent's opening", { agent: { collectedData: {} } }, null],
  ["an unknown operator", { assignment: { assignTo: "eva@example.com" } }, "MI001"],
  ["a blocked contact", { phone: "5521912345678" }, "MI005"],
  ["a closed 24-hour window", { phone: "5531988887777" }, "MI006"],
  ["a key used with another body", {
    phone: "4915112345679",
    idempotency: { scope: "s", key: "used", fingerprint: "other" },
  }, "MI008"],
];

Deno.test("a batch leaves what is not plain to single calls, and nothing of it is written", async (test) => {
  await using database = await createTestDatabase();
  const tenant = await prepare(database);
  const used = plainCall(tenant, { idempotency: { scope: "s", key: "used", fingerprint: "f" } });
  await callFunction(database.sql, "accept_message", used);
  await database
    .admin`update messaging.contacts set is_blocked = true where phone = '5521912345678'`;
  await database.admin`
    update messaging.contacts set last_inbound_at = now() - interval '25 hours'
    where phone = '5531988887777'`;
  const before = await readStored(database);
  const requests = left.map(([, fields]) => plainCall(tenant, fields));
  assertEquals(await acceptAll(database, [...requests, used]), [...left.map(() => null), null]);
  assertEquals(await readStored(database), before);
  for (const [name, fields, sqlstate] of left) {
    await test.step(`${name} goes singly`, async () => {
      const call = callFunction(database.sql, "accept_message", plainCall(tenant, fields));
      if (sqlstate === null) return void await call;
      const error = await assertRejects(() => call);
      assertEquals((error as { code?: string }).code, sqlstate);
    });
  }
});

Deno.test("a template may leave in a batch when the 24-hour window is closed", async () => {
  await using database = await createTestDatabase();
  const tenant = await prepare(database);
  await database.admin`update messaging.contacts set last_inbound_at = now() - interval '25 hours'`;
  const template = { messageType: "template", message: "x", content: { template: { name: "a" } } };
  const [sent, refused] = await acceptAll(database, [
    plainCall(tenant, { message: template }),
    plainCall(tenant),
  ]);
  assertEquals([sent?.["mode"], refused], ["sent", null]);
});

Deno.test("of two equal keys in a batch the first is executed, and the second gets its answer singly", async () => {
  await using database = await createTestDatabase();
  const tenant = await createTenant(database.admin);
  const call = plainCall(tenant, { idempotency: { scope: "s", key: "k", fingerprint: "f" } });
  const other = { ...call, idempotency: { scope: "s", key: "k", fingerprint: "g" } };
  const [first, second, third] = await acceptAll(database, [call, call, other]);
  assertEquals([first?.["mode"], second, third], ["sent", null, null]);
  const messages = await database.admin`select id from messaging.messages`;
  assertEquals(messages.map(({ id }) => id), [first?.["messageId"]]);
  const again = await assertRejects(() => callFunction(database.sql, "accept_message", call));
  assertEquals((again as { code?: string }).code, "MI007", "its provider call is under way");
});

Deno.test("a key that is older than a day is taken anew by the single call", async () => {
  await using database = await createTestDatabase();
  const tenant = await createTenant(database.admin);
  const call = plainCall(tenant, { idempotency: { scope: "s", key: "k", fingerprint: "f" } });
  await acceptAll(database, [call]);
  await database
    .admin`update messaging.idempotency_keys set created_at = now() - interval '25 hours'`;
  assertEquals(await acceptAll(database, [call]), [null]);
  const single = await callFunction<Json>(database.sql, "accept_message", call);
  assertEquals(single["mode"], "sent");
});

Deno.test("two calls of a batch to one new person, in two spellings, make one contact", async () => {
  await using database = await createTestDatabase();
  const tenant = await createTenant(database.admin);
  const results = await acceptAll(database, [
    plainCall(tenant, { phone: "551187654321" }),
    plainCall(tenant, { phone: "5511987654321" }),
  ]);
  assertEquals(results[0]?.["contactId"], results[1]?.["contactId"]);
  assertEquals(results.map((result) => result?.["to"]), ["551187654321", "5511987654321"]);
  const contacts = await database.admin`select phone from messaging.contacts`;
  assertEquals(contacts.map(({ phone }) => phone), ["551187654321"]);
  assertEquals((await database.admin`select from messaging.conversations`).length, 1);
});

Deno.test("a batch of more than 32 calls is refused whole", async () => {
  await using database = await createTestDatabase();
  const tenant = await createTenant(database.admin);
  await assertRejects(() =>
    acceptAll(database, Array.from({ length: 33 }, () => plainCall(tenant)))
  );
  assertEquals((await database.admin`select from messaging.messages`).length, 0);
});

Deno.test("calls of one token in a batch are one count, and each learns what then remains", async () => {
  await using database = await createTestDatabase();
  const [tenant, neighbour] = [
    await createTenant(database.admin),
    await createTenant(database.admin),
  ];
  const authenticated = async ({ instanceId, token }: Tenant): Promise<Json> => {
    const tokenHash = await hashClientToken(token);
    const client = await callFunction<Json>(database.sql, "authenticate_client", {
      ...{ tokenHash, functionName: "warm-up" },
    });
    const { instanceVersion } = client;
    return {
      instanceId,
      authentication: { tokenHash, functionName: "send-message", instanceVersion },
    };
  };
  const limit = async (requests: number): Promise<void> => {
    await database.admin`update messaging.instances set requests_per_minute = ${requests}`;
    await database.admin`delete from messaging.rate_limits`;
  };
  await limit(10);
  const [own, others] = [await authenticated(tenant), await authenticated(neighbour)];
  const calls = [own, others, own, own, {}].map((fields) => plainCall(tenant, fields));
  const read = (results: readonly (Json | null)[]): unknown[] =>
    results.map((result) => (result?.["rateLimit"] as Json | null | undefined)?.["remaining"]);
  assertEquals(read(await acceptAll(database, calls)), [9, 9, 8, 7, undefined]);
  const { rateLimit } = await callFunction<Json>(database.sql, "accept_message", calls[0] ?? {});
  assertEquals((rateLimit as Json)["remaining"], 6);

  await database.admin`
    update messaging.client_tokens set revoked_at = now() where instance_id = ${tenant.instanceId}`;
  const results = await acceptAll(database, calls);
  assertEquals(results.map((result) => result?.["mode"] ?? null), [
    null,
    "sent",
    null,
    null,
    "sent",
  ]);
  const refusal = await assertRejects(() =>
    callFunction(database.sql, "accept_message", calls[0] ?? {})
  );
  assertEquals((refusal as { code?: string }).code, "MI022");

  await limit(2);
  const stale = await acceptAll(database, [calls[1] ?? {}]);
  assertEquals(stale, [null], "the instance is another one");
  const again = plainCall(tenant, await authenticated(neighbour));
  const before = await readStored(database);
  const over = await assertRejects(() => acceptAll(database, [again, again, again]));
  assertEquals((over as { code?: string }).code, "MI022");
  assertEquals(await readStored(database), before, "nothing was written");
  assertEquals(read(await acceptAll(database, [again, again])), [1, 0]);
});
