import { assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createOperator, type Tenant } from "../../support/fixtures/tenant.ts";
import { createEveryApp } from "../contract/every_app.ts";
import { createWebhookClient, type WebhookClient } from "../provider_webhook/webhook_client.ts";
import { callApp } from "../../support/stack/app_calls.ts";
import { sendPaced } from "../../support/fixtures/queue_slots.ts";

type Json = Readonly<Record<string, unknown>>;

const [ours, theirs] = ["5511987654321", "5521981234567"];
const text = { messageType: "text", message: "Olá" };

// deno-lint-ignore no-explicit-any -- whatever the service answers
type Answer = { readonly status: number; readonly body: any };

/** The stack, its webhook, and calls to any function by its path. */
interface Merging extends AsyncDisposable {
  readonly client: WebhookClient;
  readonly stack: WebhookClient["stack"];
  call(tenant: Tenant, path: string, body?: Json): Promise<Answer>;
  /** The id of the contact of these fields. */
  create(tenant: Tenant, fields: Json): Promise<string>;
  merge(tenant: Tenant, contactId: string, intoContactId: string): Promise<Answer>;
}

async function startMerging(): Promise<Merging> {
  const client = await createWebhookClient();
  const apps = await createEveryApp(client.stack.services);
  const call: Merging["call"] = async ({ token, instanceId }, path, body) => {
    const response = await callApp(apps.get(path.split(/[/?]/)[0] ?? ""), `/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", "x-client-token": token },
      ...(body === undefined ? {} : { body: JSON.stringify({ instanceId, ...body }) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const create: Merging["create"] = async (tenant, fields) =>
    (await call(tenant, "contacts-api/create", fields)).body.contactId;
  const merge: Merging["merge"] = (tenant, contactId, intoContactId) =>
    call(tenant, "contacts-api/merge", { contactId, intoContactId });
  return {
    ...{ client, stack: client.stack, call, create, merge },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

Deno.test("merge moves everything: the survivor's fields win, empty ones are filled, both ids mean it", async () => {
  await using world = await startMerging();
  const { client, stack, call, create, merge } = world;
  const tenant = await stack.createTenant();
  const operatorId = await createOperator(stack.admin, tenant.workspaceId, {
    ...{ name: "Ana", email: "ana@example.com" },
  });
  const kept = await create(tenant, {
    ...{ phone: ours, name: "João", company: "Silva", tags: ["lead"] },
    customLabels: { crm: "1", plan: "gold" },
  });
  const gone = await create(tenant, {
    ...{ phone: theirs, name: "José", email: "jose@example.com", tags: ["vip"] },
    customLabels: { crm: "2", city: "Rio" },
  });
  await client.receive(tenant, { phone: theirs, messageId: "IN1", text: { message: "oi" } });
  await sendPaced(stack, tenant, { phone: ours, ...text });
  await call(tenant, "conversations-api/note", { phone: theirs, note: "prefere e-mail" });
  await call(tenant, "conversations-api/assign", { phone: theirs, assignTo: operatorId });

  const merged = await merge(tenant, gone, kept);
  assertEquals([merged.status, merged.body], [200, { success: true, contactId: kept }]);
  for (const id of [kept, gone]) {
    const { body } = await call(tenant, `contacts-api/contacts/${id}`);
    assertEquals(
      [body.contactId, body.name, body.company, body.email, body.phone, body.tags.sort()],
      [kept, "João", "Silva", "jose@example.com", ours, ["lead", "vip"]],
    );
    assertEquals(body.customLabels, { crm: "1", plan: "gold", city: "Rio" });
    assertEquals(
      body.identities.map(({ value }: { value: string }) => value).sort(),
      [ours, theirs],
    );
    assertEquals(body.conversation.assignedTo, operatorId);
    const messages = await call(tenant, `messages-api/messages?contactId=${id}`);
    const owners = messages.body.items.map(({ contactId }: Json) => contactId);
    assertEquals([owners.length >= 2, ...new Set(owners)], [true, kept]);
    const sent = await call(tenant, "send-message", { contactId: id, ...text });
    assertEquals(sent.body.contactId, kept);
    const { conversationId } = body.conversation;
    const notes = await call(tenant, `conversations-api/conversations/${conversationId}/notes`);
    assertEquals(
      notes.body.items.some(({ note }: { note: string }) => note === "prefere e-mail"),
      true,
    );
  }
  for (const phone of [ours, theirs]) {
    assertEquals(await create(tenant, { phone }), kept);
    const list = await call(tenant, `contacts-api/contacts?phone=${phone}`);
    assertEquals(list.body.items.map(({ contactId }: Json) => contactId), [kept]);
  }
  const events = await stack.admin`
    select contact_id, data from messaging.events where type = 'contact.merged'`;
  assertEquals(events.map((event) => [event["contact_id"], event["data"]]), [
    [gone, { contactId: gone, phone: theirs, name: "José", mergedInto: kept }],
  ]);
  const changes = await call(
    tenant,
    "contacts-api/contacts?updatedSince=2020-01-01T00:00:00Z",
  );
  const tombstone = changes.body.items.find(({ contactId }: Json) => contactId === gone);
  assertEquals([tombstone.isDeleted, tombstone.mergedInto], [true, kept]);
});

Deno.test("waiting messages go to the survivor's address last proven, else to the survivor's own phone", async () => {
  await using world = await startMerging();
  const { client, stack, create, merge } = world;
  const proven = await stack.createTenant();
  const unproven = await stack.createTenant();
  for (const tenant of [proven, unproven]) {
    const [kept, gone] = [
      await create(tenant, { phone: ours }),
      await create(tenant, { phone: theirs }),
    ];
    if (tenant === proven) {
      await client.receive(tenant, { phone: theirs, messageId: "IN", text: { message: "oi" } });
    }
    // As another spelling of the number that is given up.
    const spelled = { phone: `${theirs.slice(0, 4)}${theirs.slice(5)}`, ...text };
    await sendPaced(stack, tenant, { ...spelled, delayMessage: 60 });
    await sendPaced(stack, tenant, { ...spelled, queued: true, delayMessage: 60 });
    await merge(tenant, gone, kept);
  }
  await letTimePass(stack.admin, 100);
  await stack.dispatch();
  const sentTo = stack.provider.requests.map(({ json }) => json["phone"]).sort();
  assertEquals(sentTo, [ours, ours, theirs, theirs]);
});

Deno.test("a hidden contact that survives takes the phone as its identity, and is found by both", async () => {
  await using world = await startMerging();
  const { client, stack, call, create, merge } = world;
  const tenant = await stack.createTenant();
  const hidden = "111111111111111@lid";
  await client.receive(tenant, { phone: hidden, messageId: "IN", text: { message: "oi" } });
  const list = await call(tenant, "contacts-api/contacts");
  const kept: string = list.body.items[0].contactId;
  const gone = await create(tenant, { phone: ours });
  await merge(tenant, gone, kept);
  const { body } = await call(tenant, `contacts-api/contacts/${kept}`);
  assertEquals(body.phone, ours);
  const found = await call(tenant, `contacts-api/contacts?phone=${ours}`);
  assertEquals(found.body.items.map(({ phone }: Json) => phone), [ours]);
  assertEquals(await create(tenant, { phone: ours }), kept);
  await client.receive(tenant, { phone: hidden, messageId: "IN2", text: { message: "de novo" } });
  const after = await call(tenant, "contacts-api/contacts");
  assertEquals(after.body.items.map(({ contactId }: Json) => contactId), [kept]);
  const [row] = await stack.admin`select identity_key from messaging.contacts`;
  assertEquals(row?.["identity_key"], ours);
});

Deno.test("of two consents denied wins, then the newer", async () => {
  await using world = await startMerging();
  const { stack, call, create, merge } = world;
  const tenant = await stack.createTenant();
  const cases = [
    { kept: "granted", gone: "denied", then: "denied" },
    { kept: "denied", gone: "granted", then: "denied" },
    { kept: "unknown", gone: "granted", then: "granted" },
    { kept: "granted", gone: "unknown", then: "unknown" },
  ];
  for (const [index, { kept: first, gone: second, then }] of cases.entries()) {
    const kept = await create(tenant, { phone: `55119876500${index}0` });
    const gone = await create(tenant, { phone: `55119876500${index}1` });
    await call(tenant, "contacts-api/consent", { contactId: kept, marketing: first });
    await call(tenant, "contacts-api/consent", { contactId: gone, marketing: "granted" });
    await call(tenant, "contacts-api/consent", { contactId: gone, marketing: second });
    await merge(tenant, gone, kept);
    const { body } = await call(tenant, `contacts-api/contacts/${kept}`);
    assertEquals(body.consent.marketing, then, `${first} and ${second}`);
  }
});

Deno.test("merging refuses itself, strangers, other instances' contacts and the erased; repeating is harmless", async () => {
  await using world = await startMerging();
  const { stack, call, create, merge } = world;
  const [tenant, neighbour] = [await stack.createTenant(), await stack.createTenant()];
  const [a, b, c] = [
    await create(tenant, { phone: ours }),
    await create(tenant, { phone: theirs }),
    await create(tenant, { phone: "5531912345678" }),
  ];
  const foreign = await create(neighbour, { phone: ours });
  const refused: readonly (readonly [Json, number, string])[] = [
    [{ contactId: a, intoContactId: a }, 400, "invalid_request"],
    [{ contactId: a, intoContactId: a.toUpperCase() }, 400, "invalid_request"],
    [{ contactId: a }, 400, "invalid_request"],
    [{ contactId: a, intoContactId: "x" }, 400, "invalid_request"],
    [{ contactId: a, intoContactId: crypto.randomUUID() }, 404, "contact_not_found"],
    [{ contactId: crypto.randomUUID(), intoContactId: a }, 404, "contact_not_found"],
    [{ contactId: foreign, intoContactId: a }, 404, "contact_not_found"],
    [{ contactId: a, intoContactId: foreign }, 404, "contact_not_found"],
  ];
  for (const [body, status, error] of refused) {
    const answer = await call(tenant, "contacts-api/merge", body);
    assertEquals([answer.status, answer.body.error], [status, error], JSON.stringify(body));
  }
  for (const [gone, into] of [[a, b], [a, b], [b, a]] as const) {
    const answer = await merge(tenant, gone, into);
    assertEquals([answer.status, answer.body.contactId], [200, b]);
  }
  // Through two merges, and by the id of one that is merged already.
  assertEquals((await merge(tenant, a, c)).body.contactId, c);
  for (const id of [a, b]) {
    assertEquals((await call(tenant, `contacts-api/contacts/${id}`)).body.contactId, c);
  }
  // Numbers that nothing has proven find the survivor all the same, and make no new contact.
  for (const phone of [ours, theirs]) assertEquals(await create(tenant, { phone }), c);
  const { body: survivor } = await call(tenant, `contacts-api/contacts/${c}`);
  assertEquals(survivor.identities.length, 3);
  const merged = await stack.admin`
    select from messaging.events where type = 'contact.merged'`;
  assertEquals(merged.length, 2);
  const d = await create(tenant, { phone: "5541912345678" });
  await stack.admin`
    update messaging.contact_activity set erased_at = now() where contact_id = ${d}`;
  for (const [gone, into] of [[d, c], [c, d]] as const) {
    const answer = await merge(tenant, gone, into);
    assertEquals([answer.status, answer.body.error], [410, "contact_erased"]);
  }
});
