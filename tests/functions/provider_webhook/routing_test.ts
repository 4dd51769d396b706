import { signBody } from "../../../supabase/local/simulator/whatsapp_cloud/webhook_signature.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { cloudText, createWebhookClient, type WebhookClient } from "./webhook_client.ts";

type Json = Readonly<Record<string, unknown>>;

/** A webhook of the official channel with one change for each number, in one entry. */
function payloadOf(
  ...messages: readonly (readonly [phoneNumberId: string, message: Json])[]
): Json {
  return {
    object: "whatsapp_business_account",
    entry: [{
      id: "102290129340398",
      changes: messages.map(([phoneNumberId, message]) => ({
        field: "messages",
        value: {
          messaging_product: "whatsapp",
          metadata: { display_phone_number: "5511999990000", phone_number_id: phoneNumberId },
          messages: [message],
        },
      })),
    }],
  };
}

async function startTwoNumbers(
  client: WebhookClient,
  second: Readonly<Record<string, string>> = {},
): Promise<readonly [Tenant, Tenant]> {
  const create = (
    phoneNumberId: string,
    config: Readonly<Record<string, string>>,
  ): Promise<Tenant> =>
    client.createTenant({
      provider: "whatsapp_cloud",
      providerConfig: { phoneNumberId, ...config },
    });
  return [await create("1001", {}), await create("2002", second)];
}

async function words(client: WebhookClient, tenant: Tenant): Promise<unknown[]> {
  return (await client.messages(tenant)).map(({ message }) => message);
}

async function payloads(client: WebhookClient, tenant: Tenant): Promise<string> {
  const rows = await client.stack.admin`
    select payload from messaging.provider_events where instance_id = ${tenant.instanceId}`;
  return rows.map((row) => row["payload"]).join("\n");
}

Deno.test("an event goes to the instance of its number, whatever address of the app it came to", async () => {
  await using client = await createWebhookClient();
  const [first, second] = await startTwoNumbers(client);
  const alone = await client.cloud(first, payloadOf(["2002", cloudText("wamid.1", "to two")]));
  assertEquals([alone.status, alone.body.recorded], [200, 1]);
  const mixed = payloadOf(
    ["1001", cloudText("wamid.2", "to one")],
    ["2002", cloudText("wamid.3", "to two again")],
  );
  for (const recorded of [2, 0]) {
    const answer = await client.cloud(first, mixed);
    assertEquals([answer.status, answer.body.recorded], [200, recorded]);
  }
  assertEquals(await words(client, first), ["to one"]);
  assertEquals(await words(client, second), ["to two", "to two again"]);
  assert(
    !(await payloads(client, first)).includes("to two"),
    "one tenant keeps nothing of another",
  );
  assert(!(await payloads(client, second)).includes("to one"));
});

Deno.test("a status that comes to another number's address moves the message it is of", async () => {
  await using client = await createWebhookClient();
  const [first, second] = await startTwoNumbers(client);
  const { body } = await client.stack.send(second, {
    phone: "5511977776666",
    messageType: "text",
    message: "Olá",
  });
  await client.cloud(first, {
    object: "whatsapp_business_account",
    entry: [{
      id: "1",
      changes: [{
        field: "messages",
        value: {
          metadata: { phone_number_id: "2002" },
          statuses: [{ id: body.providerMessageId, status: "delivered", timestamp: "1795438862" }],
        },
      }],
    }],
  });
  const [message] = await client.messages(second);
  assertEquals(message?.["status"], "delivered");
});

Deno.test("an instance whose app secret does not verify the delivery is told nothing of it", async () => {
  await using client = await createWebhookClient();
  const [first, second] = await startTwoNumbers(client, { appSecret: "another-app-secret-value" });
  const { status, body } = await client.cloud(
    first,
    payloadOf(["2002", cloudText("wamid.1", "forged")]),
  );
  assertEquals([status, body.recorded], [200, 0]);
  assertEquals(await words(client, second), []);
  assertEquals(await payloads(client, second), "");
});

Deno.test("an event of a number without an instance is kept, logged and answered 200", async () => {
  await using client = await createWebhookClient();
  const [first] = await startTwoNumbers(client);
  const { status, body } = await client.cloud(
    first,
    payloadOf(["3003", cloudText("wamid.1", "to nobody")]),
  );
  assertEquals([status, body.recorded], [200, 0]);
  assert((await payloads(client, first)).includes("to nobody"));
  const lines = client.stack.logLines.filter((line) => line.event === "webhook_event_unrouted");
  assertEquals(lines.map(({ fields }) => fields["phoneNumberId"]), ["3003"]);
  assert(!JSON.stringify(client.stack.logLines).includes("5511977776666"));
});

Deno.test("a number's id that no database stores is answered 200, and one told as a number is routed", async () => {
  await using client = await createWebhookClient();
  const [first, second] = await startTwoNumbers(client);
  for (const id of ["\0", "\ud800"]) {
    const odd = await client.cloud(first, payloadOf([id, cloudText("wamid.1", "to nobody")]));
    assertEquals([odd.status, odd.body.recorded], [200, 0], JSON.stringify(id));
  }
  const payload = payloadOf(["2002", cloudText("wamid.2", "to two")]);
  const told = JSON.parse(JSON.stringify(payload).replace('"2002"', "2002"));
  assertEquals((await client.cloud(first, told)).body.recorded, 1);
  assertEquals([await words(client, first), await words(client, second)], [[], ["to two"]]);
});

Deno.test("a delivery about the address's own number costs no look for others", async () => {
  await using client = await createWebhookClient();
  const [first] = await startTwoNumbers(client);
  await client.cloud(first, payloadOf(["1001", cloudText("wamid.1", "a")]));
  client.rpcNames.length = 0;
  await client.cloud(first, payloadOf(["1001", cloudText("wamid.2", "b")]));
  assertEquals(client.rpcNames, ["record_provider_events"]);
});

Deno.test("a decision on a template goes to every instance of the business account that has it", async () => {
  await using client = await createWebhookClient();
  const create = (
    phoneNumberId: string,
    config: Readonly<Record<string, string>>,
  ): Promise<Tenant> =>
    client.createTenant({
      provider: "whatsapp_cloud",
      providerConfig: { phoneNumberId, ...config },
    });
  const receiver = await create("1", { wabaId: "500" });
  const same = await create("2", { wabaId: "500" });
  const otherAccount = await create("3", { wabaId: "501" });
  const otherApp = await create("4", { wabaId: "500", appSecret: "another-app-secret-value" });
  for (const { workspaceId, instanceId } of [receiver, same, otherAccount, otherApp]) {
    await client.stack.admin`
      insert into messaging.message_templates (
        workspace_id, instance_id, name, language, parameter_format, components, provider_status,
        provider_template_id
      ) values (${workspaceId}, ${instanceId}, 'aviso', 'pt_BR', 'POSITIONAL', '[]', 'APPROVED', '77')`;
  }
  const { status, body } = await client.cloud(receiver, {
    object: "whatsapp_business_account",
    entry: [{
      id: "500",
      changes: [{
        field: "message_template_status_update",
        value: { event: "PAUSED", message_template_id: 77, message_template_name: "aviso" },
      }],
    }],
  });
  assertEquals([status, body.recorded], [200, 2]);
  const rows = await client.stack
    .admin`select instance_id, provider_status from messaging.message_templates`;
  const statusOf = ({ instanceId }: Tenant): unknown =>
    rows.find((row) => row["instance_id"] === instanceId)?.["provider_status"];
  assertEquals(
    [receiver, same, otherAccount, otherApp].map(statusOf),
    ["PAUSED", "PAUSED", "APPROVED", "APPROVED"],
  );
});

Deno.test("a signature of the other number's app alone opens no address", async () => {
  await using client = await createWebhookClient();
  const [first, second] = await startTwoNumbers(client, { appSecret: "another-app-secret-value" });
  const bytes = new TextEncoder().encode(
    JSON.stringify(payloadOf(["2002", cloudText("wamid.1", "a")])),
  );
  const answer = await client.deliver(`whatsapp_cloud/${first.instanceId}`, bytes, {
    "x-hub-signature-256": await signBody(bytes, "another-app-secret-value"),
  });
  assertEquals(answer.status, 401);
  assertEquals(await words(client, second), []);
});

Deno.test("a handover goes to the instance of its number, which it names as the recipient", async () => {
  await using client = await createWebhookClient();
  const [first, second] = await startTwoNumbers(client);
  const value = {
    ...{ messaging_product: "whatsapp", recipient: { phone_number_id: "2002" } },
    ...{ sender: { phone_number: "5511977776666" }, type: "control_passed", control_passed: {} },
  };
  const payload = {
    object: "whatsapp_business_account",
    entry: [{ id: "102290129340398", changes: [{ field: "messaging_handovers", value }] }],
  };
  assertEquals((await client.cloud(first, payload)).status, 200);
  const holders = await client.stack.admin`
    select instance_id from messaging.conversations where control_at > '-infinity'`;
  assertEquals(holders.map((row) => row["instance_id"]), [second.instanceId]);
});
