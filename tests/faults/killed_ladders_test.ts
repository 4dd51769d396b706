import { signBody } from "../../supabase/local/simulator/whatsapp_cloud/webhook_signature.ts";
import { assertEquals } from "../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import type { DoubleRequest } from "../support/doubles/http_double.ts";
import { type SlowProvider, startSlowProvider } from "../support/doubles/slow_provider.ts";
import { insertTemplate } from "../support/fixtures/approved_template.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { callSender, callUntilAnswered } from "../support/stack/sender_calls.ts";
import { type ServeProcess, startServe } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";
import {
  appSecret,
  cloudPayload,
  cloudText,
  phone,
} from "../functions/provider_webhook/webhook_client.ts";

const timeoutMs = 120_000;

/** A service of two processes on the official channel, and a person who wrote thirty hours ago. */
interface World {
  readonly database: TestDatabase;
  readonly provider: SlowProvider;
  readonly service: ServeProcess;
  readonly tenant: Tenant;
  readonly templateId: string;
}

async function withWorld(work: (world: World) => Promise<void>): Promise<void> {
  await using database = await createTestDatabase();
  await using provider = startSlowProvider(() => 0);
  const { baseUrl } = provider;
  const tenant = await createTenant(database.admin, { provider: "whatsapp_cloud", baseUrl });
  const templateId = await insertTemplate(database.admin, tenant.workspaceId, "aviso");
  await database.admin`
    insert into messaging.contacts (instance_id, phone, identity_key, origin, last_inbound_at)
    values (${tenant.instanceId}, ${phone}, ${phone}, 'api', now() - interval '30 hours')`;
  await using service = await startServe({
    args: ["--processes", "2"],
    environment: { DATABASE_URL: database.url, PROVIDER_TIMEOUT_MS: "2000" },
  });
  await work({ database, provider, service, tenant, templateId });
}

function sendUrl({ service }: World): { url: string } {
  return { url: `${service.origin}/functions/v1/send-message` };
}

/** A text whose only rung is this one. */
function toBody(
  { templateId }: World,
  message: string,
  rung: "template" | "invite",
): Record<string, unknown> {
  const outsideWindow = [{ [rung]: { templateId, variables: { 1: "x" } } }];
  return { phone, messageType: "text", message, outsideWindow };
}

/** Does what makes the channel be called, and kills the process that calls it before it is answered. */
async function killInCall(world: World, act: () => Promise<unknown>): Promise<void> {
  const { provider, service } = world;
  await waitUntil(() => hasSpare(service), { timeoutMs, what: "a second process" });
  const arrived = provider.holdNext();
  const acting = act();
  await arrived;
  const opened = service.logged("port_opened");
  Deno.kill(Number(opened.at(-1)?.["pid"]), "SIGKILL");
  await waitUntil(() => service.logged("port_opened").length > opened.length, {
    timeoutMs,
    what: "the process that takes its place",
  });
  provider.release();
  await acting;
}

/** Whether a loaded process stands beside the one that takes connections. */
function hasSpare(service: ServeProcess): boolean {
  const died = service.logged("process_died").length;
  return service.logged("service_started").length === died + 2;
}

/** A text of the person, which the service has recorded when this resolves. */
async function write({ service, tenant }: World): Promise<void> {
  const payload = cloudPayload({
    contacts: [{ profile: { name: "Ana" }, wa_id: phone }],
    messages: [cloudText(`wamid.${crypto.randomUUID()}`, "Oi")],
  });
  const body = new TextEncoder().encode(JSON.stringify(payload));
  const url = `${service.origin}/functions/v1/provider-webhook/whatsapp_cloud/${tenant.instanceId}`;
  const headers = {
    "content-type": "application/json",
    "x-hub-signature-256": await signBody(body, appSecret),
  };
  const response = await fetch(url, { method: "POST", headers, body: new Blob([body]) });
  await response.body?.cancel();
  assertEquals(response.status, 200);
}

/** The statuses of the instance's own messages by their text, once none is on its way. */
async function readOutcomes({ database, tenant }: World): Promise<Record<string, string>> {
  return await waitUntil(async () => {
    await letTimePass(database.admin, 10);
    const rows = await database.admin<{ message: string; status: string; heldBy: string }[]>`
      select message, status, held_by as "heldBy" from messaging.messages
      where instance_id = ${tenant.instanceId} and direction = 'outbound' order by created_at, id`;
    const isOver = rows.every(({ status, heldBy }) =>
      status !== "sending" && (status !== "queued" || heldBy === "awaiting_reply")
    );
    return isOver && Object.fromEntries(rows.map(({ message, status }) => [message, status]));
  }, { timeoutMs, intervalMs: 500, what: "the outcomes" });
}

/** What the channel was called with, sorted: a template's name, or the text. */
function callsOf({ provider }: World): string[] {
  return provider.requests.map(({ json }: DoubleRequest) => {
    const { template, text } = json as { template?: { name: string }; text?: { body: string } };
    return template?.name ?? String(text?.body);
  }).sort();
}

Deno.test("a process killed while a template goes in a message's place leaves it in doubt, and nothing is sent twice", async () => {
  await withWorld(async (world) => {
    const body = toBody(world, "um", "template");
    await killInCall(world, () => callSender(sendUrl(world), world.tenant, "first", body));
    assertEquals(await readOutcomes(world), { um: "unconfirmed" });
    const repeated = await callUntilAnswered(sendUrl(world), world.tenant, "first", body);
    assertEquals(repeated.status, 504, "the repeated call is told the same");
    assertEquals(callsOf(world), ["aviso"]);
  });
});

Deno.test("processes killed with the invitation and with the released message send neither twice, and lose none that waits", async () => {
  await withWorld(async (world) => {
    const invitation = "Aviso: x Obrigado.";
    await killInCall(
      world,
      () => callUntilAnswered(sendUrl(world), world.tenant, "1", toBody(world, "um", "invite")),
    );
    assertEquals(await readOutcomes(world), { [invitation]: "unconfirmed", um: "queued" });
    const second = toBody(world, "dois", "invite");
    assertEquals((await callUntilAnswered(sendUrl(world), world.tenant, "2", second)).status, 200);
    assertEquals(callsOf(world), ["aviso"], "no second invitation");

    await killInCall(world, () => write(world));
    const outcomes = await readOutcomes(world);
    assertEquals(outcomes, { [invitation]: "unconfirmed", um: "unconfirmed", dois: "sent" });
    assertEquals(callsOf(world), ["aviso", "dois", "um"]);
  });
});
