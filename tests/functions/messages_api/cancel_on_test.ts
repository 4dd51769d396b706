/** What waits with cancelOn ends when the contact writes, or when its payment ends. */

import { providerKinds } from "../../../shared/model/provider_kind.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { sendPaced } from "../../support/fixtures/queue_slots.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { readFeed } from "../provider_webhook/channels.ts";
import {
  createWebhookClient,
  phone,
  type WebhookClient,
} from "../provider_webhook/webhook_client.ts";

const text = { phone, messageType: "text", message: "Ainda quer o orçamento?" };
const later = { delayMessage: 3_600 };

async function stateOf(
  client: WebhookClient,
  tenant: Tenant,
  messageId: string,
): Promise<unknown[]> {
  const { body } = await client.stack.messages(tenant, "GET", `/messages/${messageId}`);
  return [body.status, body.cancelReason];
}

Deno.test("a reply cancels what waits with cancelOn, in each way of waiting, on every channel, and nothing else", async () => {
  await using client = await createWebhookClient();
  for (const provider of providerKinds) {
    const tenant = await client.createTenant({ provider });
    const { toText } = factsOf[provider];
    await client.tell(provider, tenant, toText("M0", "oi"));
    const cancelOn = ["reply"];
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    await sendPaced(client.stack, tenant, { ...text, queued: true, delayMessage: 60 });
    const waiting = [
      await client.stack.send(tenant, { ...text, ...later, cancelOn }),
      await client.stack.send(tenant, { ...text, sendAt, cancelOn }),
      await client.stack.send(tenant, { ...text, queued: true, cancelOn }),
      await client.stack.send(tenant, { ...text, queued: true, sendAt, cancelOn }),
    ];
    const others = [
      await client.stack.send(tenant, { ...text, ...later }),
      await client.stack.send(tenant, {
        ...{ ...text, ...later, cancelOn: ["payment"], paymentReference: "ped-1" },
      }),
      await client.stack.send(tenant, { ...text, ...later, cancelOn, phone: "5511912345678" }),
    ];
    const { body } = await client.stack.messages(
      tenant,
      "GET",
      `/messages/${others[1]?.body.messageId}`,
    );
    assertEquals([body.cancelOn, body.paymentReference], [["payment"], "ped-1"]);
    assertEquals((await client.tell(provider, tenant, toText("M1", "quero"))).body.recorded, 1);
    for (const { body } of waiting) {
      assertEquals(
        await stateOf(client, tenant, body.messageId),
        ["canceled", "replied"],
        provider,
      );
    }
    for (const { body } of others) {
      assertEquals(await stateOf(client, tenant, body.messageId), ["queued", null], provider);
    }
    const told = (await readFeed(client, tenant)).filter(({ type }) => type === "message.canceled");
    assertEquals(told.map(({ data }) => data["cancelReason"]), waiting.map(() => "replied"));
  }
});

Deno.test("neither a reaction nor a call is a reply; a message that comes with others is one", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  const { toText, toReaction } = factsOf.zapi;
  await client.tell("zapi", tenant, toText("M0", "oi"));
  const { body } = await client.stack.send(tenant, { ...text, ...later, cancelOn: ["reply"] });
  await client.tell("zapi", tenant, toReaction("R1", "M0", "👍"));
  await client.receive(tenant, { messageId: "C1", notification: "CALL_MISSED_VOICE" });
  assertEquals(await stateOf(client, tenant, body.messageId), ["queued", null]);
  const cloud = await client.createTenant({ provider: "whatsapp_cloud" });
  await client.cloud(cloud, factsOf.whatsapp_cloud.toText("M0", "oi"));
  const waits = await client.stack.send(cloud, { ...text, ...later, cancelOn: ["reply"] });
  const [one, two] = ["M1", "M2"].map((id) =>
    // deno-lint-ignore no-explicit-any -- a payload of the channel
    factsOf.whatsapp_cloud.toText(id, "sim") as any
  );
  one.entry.push(...two.entry);
  assertEquals((await client.cloud(cloud, one)).body.recorded, 2);
  assertEquals(await stateOf(client, cloud, waits.body.messageId), ["canceled", "replied"]);
});

Deno.test("what a worker has claimed goes, and is not tried again after a reply", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  const { toText } = factsOf.zapi;
  await client.tell("zapi", tenant, toText("M0", "oi"));
  for (const [index, outcome] of ["accepted", "refused"].entries()) {
    const { body } = await client.stack.send(tenant, {
      ...{ ...text, delayMessage: 0.001, cancelOn: ["reply"] },
    });
    let calls = 0;
    client.stack.provider.answer = async (request) => {
      calls++;
      await client.tell("zapi", tenant, toText(`R${index}`, "quero"));
      return outcome === "accepted"
        ? await acceptMessage(request)
        : new Response("busy", { status: 503 });
    };
    await client.stack.dispatch();
    assertEquals(calls, 1, outcome);
    assertEquals(
      await stateOf(client, tenant, body.messageId),
      outcome === "accepted" ? ["sent", null] : ["canceled", "replied"],
    );
  }
});

Deno.test("20 people answer while 20 reminders leave: none goes after a reply that was recorded before its claim", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  const phones = Array.from({ length: 20 }, (_, index) => `55119${80_000_000 + index}`);
  const sent = new Map<string, string>();
  for (const to of phones) {
    await client.receive(tenant, { phone: to, messageId: `0${to}`, text: { message: "oi" } });
    const { body } = await client.stack.send(tenant, {
      ...{ ...text, phone: to, delayMessage: 1, cancelOn: ["reply"] },
    });
    sent.set(to, body.messageId);
  }
  await client.stack.admin`create table public.claims as
    select null::uuid as message_id, clock_timestamp() as at where false`;
  await client.stack.admin`grant all on public.claims to public`;
  await client.stack.admin.unsafe(`
    create function public.note_claim() returns trigger language plpgsql as $$
    begin
      insert into public.claims values (new.message_id, clock_timestamp());
      return null;
    end $$;
    create trigger note_claim after update on messaging.message_queue for each row
    when (old.claim_token is null and new.claim_token is not null)
    execute function public.note_claim();`);
  const repliedAt = new Map<string, number>();
  const answering = Promise.all(phones.map(async (to, index) => {
    await new Promise((resolve) => setTimeout(resolve, 900 + index * 15));
    await client.receive(tenant, { phone: to, messageId: `1${to}`, text: { message: "quero" } });
    const [row] = await client.stack.admin<{ at: Date }[]>`select clock_timestamp() as at`;
    repliedAt.set(to, row!.at.getTime());
  }));
  await client.stack.dispatch({ durationMs: 2_000 });
  await answering;
  await client.stack.dispatch();
  const claims = await client.stack.admin<{ message_id: string; at: Date }[]>`
    select * from public.claims`;
  let ended = 0;
  for (const to of phones) {
    const messageId = sent.get(to)!;
    const claim = claims.find((row) => row.message_id === messageId);
    const [status, reason] = await stateOf(client, tenant, messageId);
    assertEquals([status, reason], claim ? ["sent", null] : ["canceled", "replied"]);
    if (claim) assert(claim.at.getTime() <= repliedAt.get(to)!, "claimed after the reply");
    ended++;
  }
  assertEquals(ended, 20);
});

Deno.test("a contact with nothing that a reply cancels costs no look", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  const { toText } = factsOf.zapi;
  const marked = async (): Promise<unknown> => {
    const [row] = await client.stack.admin`select cancels_on_reply from messaging.contacts
      where instance_id = ${tenant.instanceId}`;
    return row?.["cancels_on_reply"];
  };
  await client.tell("zapi", tenant, toText("M0", "oi"));
  await client.stack.send(tenant, { ...text, ...later });
  assertEquals(await marked(), false);
  await client.stack.send(tenant, { ...text, ...later, cancelOn: ["reply"] });
  assertEquals(await marked(), true);
  await client.tell("zapi", tenant, toText("M1", "oi"));
  assertEquals(await marked(), false);
});

Deno.test("cancelOn beside an immediate send, or without its reference, is refused by its name", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "zapi" });
  const payment = { cancelOn: ["payment"] };
  for (
    const [fields, path] of [
      [{ cancelOn: ["reply"] }, "cancelOn"],
      [{ cancelOn: ["reply"], delayMessage: 0 }, "cancelOn"],
      [{ cancelOn: ["reply"], queued: false }, "cancelOn"],
      [{ ...later, cancelOn: [] }, "cancelOn"],
      [{ ...later, cancelOn: ["reply", "reply"] }, "cancelOn"],
      [{ ...later, cancelOn: ["read"] }, "cancelOn.0"],
      [{ ...later, ...payment }, "paymentReference"],
      [{ ...later, paymentReference: "ped-1" }, "paymentReference"],
      [{ ...later, cancelOn: ["reply"], paymentReference: "ped-1" }, "paymentReference"],
      [{ ...later, ...payment, paymentReference: "ped 1" }, "paymentReference"],
      [{ ...later, ...payment, paymentReference: "p".repeat(36) }, "paymentReference"],
    ] as const
  ) {
    const { status, body } = await client.stack.send(tenant, { ...text, ...fields });
    assertEquals([status, body.issues?.[0]?.path], [400, path], JSON.stringify(fields));
  }
  const stored = await client.stack.admin`select from messaging.messages`;
  assertEquals(stored.length, 0);
});
