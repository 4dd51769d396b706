import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { acceptMessage, type DoubleRequest } from "../../support/doubles/http_double.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  type Answer,
  type MessagingStack,
  startMessagingStack,
} from "../../support/stack/messaging_stack.ts";
import { StorageError } from "../../../shared/media/storage.ts";
import { type FilePart, pathOfLink, picture, uploadFile } from "../media_api/media_calls.ts";

const phone = "5511987654321";
const pdf: FilePart = { bytes: padded(heads.pdf, 3_000), name: "Proposta.pdf" };

async function upload(stack: MessagingStack, tenant: Tenant, part = picture): Promise<string> {
  return (await uploadFile(stack, tenant, part)).body.mediaId;
}

function sendPicture(
  stack: MessagingStack,
  tenant: Tenant,
  mediaId: string,
  further: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  return stack.send(tenant, { phone, messageType: "image", mediaId, ...further });
}

/** The official channel, which gives each upload an id of its own. */
function answerAsGraph(request: DoubleRequest): Response {
  return request.path.endsWith("/media")
    ? Response.json({ id: String(crypto.getRandomValues(new Uint32Array(1))[0]) })
    : acceptMessage(request);
}

const uploadsOf = ({ provider }: MessagingStack): DoubleRequest[] =>
  provider.requests.filter(({ path }) => path.endsWith("/media"));
const sendsOf = ({ provider }: MessagingStack): DoubleRequest[] =>
  provider.requests.filter(({ path }) => !path.endsWith("/media"));

Deno.test("a gateway gets a link of ours that opens the file without a token", async () => {
  for (const provider of ["zapi", "evolution"] as const) {
    await using stack = await startMessagingStack();
    const tenant = await stack.createTenant({ provider });
    const mediaId = await upload(stack, tenant);
    const { status, body } = await sendPicture(stack, tenant, mediaId, { message: "A peça" });
    assertEquals([status, body.status], [200, "sent"]);
    const [request] = stack.provider.requests;
    const link = String(request?.json["image"] ?? request?.json["media"]);
    assertMatch(new URL(link).pathname, /\/media-api\/links\/[0-9a-f-]{36}\/file\.jpg$/);
    const response = await stack.fetchMedia(pathOfLink(link));
    assertEquals(new Uint8Array(await response.arrayBuffer()), picture.bytes);
    const [row] = await stack.admin`select content, media_id from messaging.messages`;
    assertEquals([row?.["content"], row?.["media_id"]], [null, mediaId]);
    const record = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
    assertEquals([record.body.mediaId, record.body.mediaStatus], [mediaId, "stored"]);
  }
});

Deno.test("a document keeps the name that it was uploaded with, unless the send gives another", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant, pdf);
  const document = { phone, messageType: "document", mediaId };
  await stack.send(tenant, document);
  await stack.send(tenant, { ...document, mediaFilename: "Outra.pdf" });
  const sent = stack.provider.requests.map((
    { path, json },
  ) => [path.split("/").at(-1), json["fileName"]]);
  assertEquals(sent, [["pdf", "Proposta.pdf"], ["pdf", "Outra.pdf"]]);
});

Deno.test("the official channel gets a file once, and its id again in every further send", async () => {
  await using stack = await startMessagingStack();
  stack.provider.answer = answerAsGraph;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const mediaId = await upload(stack, tenant);
  for (let index = 0; index < 3; index++) {
    assertEquals((await sendPicture(stack, tenant, mediaId)).status, 200);
  }
  const [uploaded, ...others] = uploadsOf(stack);
  assertEquals(others.length, 0);
  assertMatch(uploaded?.text ?? "", /name="messaging_product"\r\n\r\nwhatsapp/);
  assertMatch(uploaded?.text ?? "", /filename="[0-9a-f-]{36}\.jpg"\r\nContent-Type: image\/jpeg/);
  const sent = sendsOf(stack).map(({ json }) => json["image"] as { id?: string; link?: string });
  assertEquals(new Set(sent.map(({ id }) => id)).size, 1);
  assert(sent.every(({ id, link }) => /^\d+$/.test(id ?? "") && link === undefined));
});

Deno.test("the official channel gets CSV as text, and a file of a type that it refuses is refused before", async () => {
  await using stack = await startMessagingStack();
  stack.provider.answer = answerAsGraph;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const csv = { bytes: new TextEncoder().encode("a,b\n1,2"), type: "text/csv", name: "preços.csv" };
  const document = { phone, messageType: "document", mediaId: await upload(stack, tenant, csv) };
  assertEquals((await stack.send(tenant, document)).status, 200);
  const [uploaded] = uploadsOf(stack);
  assertMatch(uploaded?.text ?? "", /name="type"\r\n\r\ntext\/plain/);
  assertMatch(uploaded?.text ?? "", /filename="[^"]*"\r\nContent-Type: text\/plain/);
  const [sent] = sendsOf(stack);
  assertEquals((sent?.json["document"] as { filename?: string }).filename, "preços.csv");

  // As a received document may be.
  await stack.admin`update messaging.media set mime_type = 'application/zip'`;
  const refused = await stack.send(tenant, document);
  assertEquals([refused.status, refused.body.error], [400, "invalid_request"]);
  assertEquals(refused.body.issues[0].path, "mediaId");
  const [row] = await stack.admin`select count(*)::int as count from messaging.messages`;
  assertEquals([row?.["count"], uploadsOf(stack).length, sendsOf(stack).length], [1, 1, 1]);
});

Deno.test("an upload at the official channel is used until day 29, and not by another number", async () => {
  await using stack = await startMessagingStack();
  stack.provider.answer = answerAsGraph;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const mediaId = await upload(stack, tenant);
  const age = (days: number): Promise<unknown> =>
    stack.admin`
      update messaging.media set provider_uploaded_at = now() - make_interval(days => ${days})`;
  await sendPicture(stack, tenant, mediaId);
  await age(28);
  await sendPicture(stack, tenant, mediaId);
  assertEquals(uploadsOf(stack).length, 1);
  await age(29);
  await sendPicture(stack, tenant, mediaId);
  assertEquals(uploadsOf(stack).length, 2);
  await stack.admin`update messaging.media set provider_upload_id = '999/123'`;
  await sendPicture(stack, tenant, mediaId);
  assertEquals(uploadsOf(stack).length, 3);
});

Deno.test("two first sends of a file at once both go, and one of their uploads is used until day 29", async () => {
  await using stack = await startMessagingStack();
  const bothUpload = Promise.withResolvers<void>();
  const given: string[] = [];
  stack.provider.answer = async (request) => {
    if (!request.path.endsWith("/media")) return acceptMessage(request);
    const id = String(4_711 + given.length);
    given.push(id);
    if (given.length === 2) bothUpload.resolve();
    await bothUpload.promise;
    return Response.json({ id });
  };
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const mediaId = await upload(stack, tenant);
  const people = ["5511987654321", "5511912345678"];
  const first = await Promise.all(
    people.map((number) => sendPicture(stack, tenant, mediaId, { phone: number })),
  );
  assertEquals(first.map(({ status, body }) => [status, body.status]), [
    [200, "sent"],
    [200, "sent"],
  ]);
  const usedIds = (): string[] =>
    sendsOf(stack).map(({ json }) => (json["image"] as { id: string }).id);
  assertEquals(usedIds().sort(), given);
  for (const days of [0, 28]) {
    await stack.admin`
      update messaging.media set provider_uploaded_at = now() - make_interval(days => ${days})`;
    await sendPicture(stack, tenant, mediaId);
  }
  assertEquals(uploadsOf(stack).length, 2);
  const [third = "", fourth] = usedIds().slice(2);
  assert(given.includes(third), third);
  assertEquals(fourth, third);
});

Deno.test("a lost answer of an upload sends nothing, and the same message goes once when tried again", async () => {
  await using stack = await startMessagingStack();
  let uploads = 0;
  stack.provider.answer = (request) =>
    request.path.endsWith("/media") && ++uploads === 1
      ? new Response("<html>", { status: 500 })
      : answerAsGraph(request);
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const mediaId = await upload(stack, tenant);
  const refused = await sendPicture(stack, tenant, mediaId);
  assertEquals([refused.status, refused.body.error], [502, "provider_send_failed"]);
  assertEquals([refused.body.retryable, refused.body.details.code], [true, "media_upload_failed"]);
  assertEquals(sendsOf(stack).length, 0);
  const again = await stack.messages(tenant, "POST", `/messages/${refused.body.messageId}/retry`);
  assertEquals(again.status, 200);
  await stack.dispatch();
  assertEquals([uploadsOf(stack).length, sendsOf(stack).length], [2, 1]);
});

Deno.test("an upload that the official channel has forgotten is made again, and the message goes", async () => {
  await using stack = await startMessagingStack();
  stack.provider.answer = answerAsGraph;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const mediaId = await upload(stack, tenant);
  await sendPicture(stack, tenant, mediaId);
  let refusals = 0;
  stack.provider.answer = (request) =>
    !request.path.endsWith("/media") && refusals++ === 0
      ? Response.json({ error: { code: 131053, message: "Media upload error" } }, { status: 400 })
      : answerAsGraph(request);
  const queued = await sendPicture(stack, tenant, mediaId, { queued: true });
  assertEquals(queued.body.mode, "queued");
  await stack.finishBackground();
  await stack.dispatch();
  await letTimePass(stack.admin, 600);
  await stack.dispatch();
  const { body } = await stack.messages(tenant, "GET", `/messages/${queued.body.messageId}`);
  assertEquals([body.status, uploadsOf(stack).length], ["sent", 2]);
});

Deno.test("a queued message gets its link when it leaves, and fails where its file is gone by then", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant);
  const later = { delayMessage: 1 };
  const [kept, lost] = [
    await sendPicture(stack, tenant, mediaId, later),
    await sendPicture(stack, tenant, await upload(stack, tenant), later),
  ];
  const lostId = lost.body.messageId;
  await stack.admin`
    update messaging.media set status = 'expired'
    where id = (select media_id from messaging.messages where id = ${lostId})`;
  await stack.dispatchOnce({ durationMs: 60_000, maxMessages: 2 });
  const states = await Promise.all([kept, lost].map(async ({ body }) => {
    const record = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
    return [record.body.status, record.body.lastError?.code];
  }));
  assertEquals(states, [["sent", undefined], ["failed", "media_expired"]]);
  const expires = new URL(String(stack.provider.requests[0]?.json["image"])).searchParams.get(
    "expires",
  );
  assert(Number(expires) - Date.now() > 6.9 * 86_400_000);
});

Deno.test("a waiting message whose file the storage has lost fails, and does not leave", async () => {
  for (const provider of ["zapi", "evolution", "whatsapp_cloud"] as const) {
    await using stack = await startMessagingStack();
    const tenant = await stack.createTenant({ provider });
    stack.provider.answer = answerAsGraph;
    const mediaId = await upload(stack, tenant);
    const { body } = await sendPicture(stack, tenant, mediaId, { delayMessage: 60 });
    await stack.storage.delete([`${tenant.instanceId}/${mediaId}`]);
    await letTimePass(stack.admin, 61);
    await stack.dispatch();
    const record = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
    assertEquals(
      [record.body.status, record.body.lastError.code, record.body.mediaStatus],
      ["failed", "media_expired", "expired"],
      provider,
    );
    assertEquals(stack.provider.requests.length, 0);
  }
});

Deno.test("a storage that does not tell holds up no waiting message", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant);
  const { body } = await sendPicture(stack, tenant, mediaId, { delayMessage: 60 });
  stack.storage.has = () => Promise.reject(new StorageError("unavailable"));
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  const record = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
  assertEquals(record.body.status, "sent");
});

Deno.test("a file that is not there, not yet or no longer is refused, and nothing is stored or sent", async () => {
  await using stack = await startMessagingStack();
  const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
  const mediaId = await upload(stack, tenant);
  const set = (status: string): Promise<unknown> =>
    stack.admin`update messaging.media set status = ${status}, origin = 'channel'`;
  const refuse = async (id: string, sender = tenant): Promise<readonly unknown[]> => {
    const { status, body } = await sendPicture(stack, sender, id);
    return [status, body.error];
  };
  assertEquals(await refuse(crypto.randomUUID()), [404, "media_not_found"]);
  assertEquals(await refuse(mediaId, other), [404, "media_not_found"]);
  await set("pending");
  assertEquals(await refuse(mediaId), [409, "media_pending"]);
  await set("failed");
  assertEquals(await refuse(mediaId), [410, "media_failed"]);
  await set("expired");
  assertEquals(await refuse(mediaId), [410, "media_expired"]);
  const [row] = await stack.admin`select count(*)::int as count from messaging.messages`;
  assertEquals([row?.["count"], stack.provider.requests.length], [0, 0]);
});

Deno.test("a file must fit the message type and the channel, and stands in place of a URL", async () => {
  await using stack = await startMessagingStack();
  const [gateway, official] = [
    await stack.createTenant(),
    await stack.createTenant({ provider: "whatsapp_cloud" }),
  ];
  const issues = async (
    tenant: Tenant,
    body: Readonly<Record<string, unknown>>,
  ): Promise<readonly unknown[]> => {
    const { status, body: refusal } = await stack.send(tenant, { phone, ...body });
    return [status, ...(refusal.issues ?? []).map(({ path }: { path: string }) => path)];
  };
  const image = await upload(stack, gateway);
  const wav = await upload(stack, official, { bytes: padded(heads.wav, 400) });
  const mediaUrl = "https://cdn.example.com/a.jpg";
  assertEquals(await issues(gateway, { messageType: "audio", mediaId: image }), [400, "mediaId"]);
  assertEquals(await issues(gateway, { messageType: "video", mediaId: image }), [400, "mediaId"]);
  assertEquals(await issues(official, { messageType: "audio", mediaId: wav }), [400, "mediaId"]);
  const text = { messageType: "text", message: "a", mediaId: image };
  assertEquals(await issues(gateway, text), [400, "mediaId"]);
  const both = { messageType: "image", mediaId: image, mediaUrl };
  assertEquals(await issues(gateway, both), [400, "mediaId"]);
  assertEquals(await issues(gateway, { messageType: "image" }), [400, "mediaUrl"]);
  assertEquals(await issues(gateway, { messageType: "image", mediaId: "x" }), [400, "mediaId"]);
  assertEquals(await issues(gateway, { messageType: "document", mediaId: image }), [200]);
});

Deno.test("a repeated call gives the first answer, whatever has become of its file", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant);
  const send = (): Promise<Answer> =>
    stack.send(tenant, { phone, messageType: "image", mediaId }, { "Idempotency-Key": "a" });
  const first = await send();
  await stack.admin`update messaging.media set status = 'expired', storage_path = null`;
  const again = await send();
  assertEquals([again.status, again.body], [200, first.body]);
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("an upload that a message names no longer expires by itself", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant);
  await sendPicture(stack, tenant, mediaId);
  const [row] = await stack.admin`select expires_at from messaging.media`;
  assertEquals(row?.["expires_at"], null);
});
