/** What providers tell of their own accord, played through the simulator's routes on the started stack. */
import { assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  type StackInstance,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { simulatedInstances, webhookOf } from "../support/stack/simulated_instances.ts";
import { waitUntil } from "../support/wait_until.ts";

const waId = "5511944443333";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API and the simulator answer
type Body = any;

interface Played {
  readonly provider: string;
  readonly tenant: StackInstance;
  /** POSTs to the simulator about this instance. The call must be accepted. */
  act(path: string, body: object): Promise<Body>;
  /** The data of the instance's events of these types, once there are so many. */
  told(types: string, count: number): Promise<Body[]>;
}

async function play(
  stack: LocalStack,
  workspaceId: string,
  simulated: (typeof simulatedInstances)[number],
): Promise<Played> {
  const { provider, instance, config, registration, baseUrl } = simulated;
  const tenant = await stack.createInstance({
    workspaceId,
    provider,
    providerConfig: { ...config, baseUrl: `${stack.origin}/simulator/${baseUrl}` },
  });
  const act: Played["act"] = async (path, body) => {
    const response = await fetch(`${stack.origin}/simulator/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ provider, instance, ...body }),
    });
    const answer = await response.json();
    assertEquals([response.ok, path], [true, path], JSON.stringify(answer));
    return answer;
  };
  await act("webhooks", { url: webhookOf(stack, simulated, tenant), ...registration });
  const told: Played["told"] = (types, count) =>
    waitUntil(async () => {
      const path = `events-api/events?after=oldest&types=${types}`;
      const { body } = await stack.call(tenant, path);
      return body.items.length >= count && body.items.map(({ data }: Body) => data);
    }, { what: `${provider}: ${count} of ${types}` });
  return { provider, tenant, act, told };
}

Deno.test("edits, deletions, files in events, changed ids, assessments and decisions of Meta are played through the simulator", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  const { workspaceId } = await stack.administer("workspaces", { name: "Canais" });
  for (const simulated of simulatedInstances) {
    const played = await play(stack, workspaceId, simulated);
    await changeMessages(played);
    if (played.provider === "evolution") await embedFile(stack, played);
    if (played.provider === "whatsapp_cloud") {
      await holdMessage(stack, played);
      await changeUserId(played);
      await decideAboutAccount(stack, played);
    }
    await sendParts(played);
  }
});

async function changeMessages({ provider, act, told }: Played): Promise<void> {
  for (const writtenBy of ["customer", "company"]) {
    const content = { messageType: "text", text: "às 10h" };
    const { providerMessageId } = await act("replies", { waId, content, writtenBy });
    await act("edits", { providerMessageId, text: "às 11h" });
    await act("deletions", { providerMessageId });
  }
  const changes = await told("message.edited,message.deleted", 4);
  assertEquals(
    changes.map(({ direction, message, editedAt, deletedAt }) => [
      ...[direction, message, editedAt !== null, deletedAt !== null],
    ]),
    [
      ["inbound", "às 11h", true, false],
      ["inbound", "às 11h", true, true],
      ["outbound", "às 11h", true, false],
      ["outbound", "às 11h", true, true],
    ],
    provider,
  );
  assertEquals((await told("message.received,message.sent", 2)).length, 2, provider);
}

/** Each kind of message that the provider tells, as the console's panel sends it. */
async function sendParts({ provider, act, told }: Played): Promise<void> {
  const before = (await told("message.received", 1)).length;
  const words = { messageType: "text", text: "Ainda tem?" };
  const location = { latitude: -23.5614, longitude: -46.6559, name: "Loja" };
  const contacts = [{ name: "Ana", phones: ["+55 11 91234-5678"] }];
  const referral = { sourceType: "ad", sourceId: "812", headline: "Café" };
  const context = { isForwarded: true };
  const { providerMessageId } = await act("replies", { waId, parts: { location } });
  await act("replies", { waId, parts: { contacts } });
  await act("replies", { waId, parts: { referral, context }, content: words });
  await act("replies", { waId, parts: { call: { kind: "voice" } } });
  const received = (await told("message.received", before + 4)).slice(before);
  assertEquals(
    received.map(({ messageType }) => messageType),
    ["location", "contacts", "text", "call"],
    provider,
  );
  const [place, card, asked, call] = received;
  assertEquals([place.location, card.contacts[0].name], [location, "Ana"], provider);
  assertEquals(asked.context, context, provider);
  assertEquals({ ...asked.referral, ...referral }, asked.referral, provider);
  assertEquals(call.call.kind, "voice", provider);
  for (const emoji of ["👍", null]) {
    await act("replies", { waId, parts: { reaction: { providerMessageId, emoji } } });
  }
  const reactions = await told("message.reaction", 2);
  assertEquals(
    reactions.map(({ reaction }) => reaction),
    ["👍", null].map((emoji) => ({ messageId: place.messageId, emoji })),
    provider,
  );
}

async function embedFile(stack: LocalStack, { tenant, act, told }: Played): Promise<void> {
  const bytes = new Uint8Array(60_000);
  bytes.set([
    0x89,
    0x50,
    0x4e,
    0x47,
    0x0d,
    0x0a,
    0x1a,
    0x0a,
    0,
    0,
    0,
    0x0d,
    0x49,
    0x48,
    0x44,
    0x52,
  ]);
  const put = await fetch(`${stack.origin}/simulator/files?name=foto.png`, {
    method: "PUT",
    headers: { "Content-Type": "image/png" },
    body: bytes,
  });
  const { url: mediaUrl } = await put.json();
  const content = { messageType: "image", mediaUrl, fileName: "foto.png", isEmbedded: true };
  await act("replies", { waId, content });
  const [, image] = await told("message.received", 2);
  assertEquals([image.messageType, image.mediaStatus], ["image", "stored"]);
  const { body } = await stack.call(tenant, `messages-api/messages/${image.messageId}`);
  assertEquals(
    [body.mediaStatus, body.mediaMimeType, body.mediaSize, body.mediaFilename],
    ["stored", "image/png", 60_000, "foto.png"],
  );
}

async function holdMessage(stack: LocalStack, { tenant, act, told }: Played): Promise<void> {
  await act("faults", { kind: "held", times: 2 });
  const send = async (): Promise<Body> =>
    (await stack.call(tenant, "send-message", {
      ...{ instanceId: tenant.instanceId, phone: waId, messageType: "text", message: "oi" },
    })).body;
  const read = async ({ messageId }: Body): Promise<Body> =>
    (await stack.call(tenant, `messages-api/messages/${messageId}`)).body;
  const [released, dropped] = [await send(), await send()];
  assertEquals((await read(released)).channelStatus, "held_for_quality_assessment");
  const decide = ({ providerMessageId }: Body, outcome: string): Promise<Body> =>
    act("quality-assessments", { providerMessageId, outcome });
  await decide(released, "released");
  await decide(dropped, "dropped");
  await told("message.delivered", 1);
  await told("message.failed", 1);
  const after = await Promise.all([released, dropped].map(read));
  assertEquals(
    after.map(({ status, channelStatus, lastError }) => [status, channelStatus, lastError?.code]),
    [["delivered", null, undefined], ["failed", null, "132015"]],
  );
}

async function changeUserId({ act, told }: Played): Promise<void> {
  const content = { messageType: "text", text: "oi" };
  await act("replies", { waId, content, userId: "BR.1" });
  await told("message.received", 2);
  await act("user-id-changes", { previousUserId: "BR.1", userId: "BR.2" });
  const [change] = await told("contact.identity_changed", 1);
  const [first, last] = await told("message.received", 2);
  assertEquals([first.contactId, last.contactId], [change.contactId, change.contactId]);
}

async function decideAboutAccount(stack: LocalStack, played: Played): Promise<void> {
  const { tenant, act, told } = played;
  const until = new Date(Date.now() + 86_400_000).toISOString();
  await act("account-updates", { event: "ACCOUNT_VIOLATION", reason: "SPAM" });
  await act("account-updates", { event: "SCHEDULE_FOR_DISABLE", date: "2099-01-31" });
  await act("account-updates", { event: "DOWNGRADE", limit: "TIER_2K" });
  const limits = await told("instance.limit_changed", 3);
  assertEquals(limits.map(({ reason, limit, effectiveAt }) => [reason, limit, effectiveAt]), [
    ["ACCOUNT_VIOLATION: SPAM", null, null],
    ["SCHEDULE_FOR_DISABLE", null, "2099-01-31T00:00:00.000Z"],
    ["DOWNGRADE", "TIER_2K", null],
  ]);
  for (const event of ["ACCOUNT_RESTRICTION", "ACCOUNT_OFFBOARDED"]) {
    await act("account-updates", {
      event,
      ...(event === "ACCOUNT_RESTRICTION" ? { until } : {}),
    });
    const isLost = (): Promise<boolean> =>
      readHealth().then(({ status }) => status === "disconnected");
    await waitUntil(isLost, { what: event });
    const { status } = await stack.call(tenant, "send-message", {
      ...{ instanceId: tenant.instanceId, phone: waId, messageType: "text", message: "oi" },
    });
    assertEquals(status, 502, event);
    await act("account-updates", { event: "ACCOUNT_RECONNECTED" });
    await waitUntil(async () => !await isLost(), { what: `${event}: the end` });
  }
  async function readHealth(): Promise<Body> {
    return (await stack.call(tenant, `messages-api/health?instanceId=${tenant.instanceId}`)).body;
  }
}
