/** Files that arrive: fetched at once from each provider, checked, stored and told of everywhere. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "../../support/assert.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { functionsUrl } from "../../support/stack/messaging_stack.ts";
import { createMemoryStorage } from "../../support/doubles/memory_storage.ts";
import { phone } from "../provider_webhook/webhook_client.ts";
import { createFileClient, serveFiles, sha256Of } from "./received_file_client.ts";

const picture = padded(heads.jpeg, 20_000);
const paper = padded(heads.pdf, 50_000);

Deno.test("a picture of Z-API is pending at once, then stored, and every reading has a new link to it", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  const { client } = files;
  const tenant = await client.createTenant();
  client.stack.provider.answer = serveFiles({ "/photo": picture });
  await files.receiveZapi(tenant, "/photo");

  const pending = await files.lastMessage(tenant);
  assertEquals([pending.mediaStatus, pending.message], ["pending", "A peça"]);
  assertMatch(pending.mediaId, /^[0-9a-f-]{36}$/);
  assert(pending.mediaUrl.startsWith(`${functionsUrl}/media-api/links/${pending.mediaId}`));

  await files.fetchFiles();
  const stored = await files.lastMessage(tenant);
  assertEquals([stored.mediaId, stored.mediaStatus], [pending.mediaId, "stored"]);
  assertNotEquals(stored.mediaUrl, pending.mediaUrl);
  assertEquals([...storage.files.values()], [picture]);
  const { status, mime_type, size, sha256, contact_id } = await files.lastFile();
  assertEquals([status, mime_type, Number(size), sha256], [
    "stored",
    "image/jpeg",
    picture.byteLength,
    sha256Of(picture),
  ]);
  assertEquals(contact_id, stored.contactId);

  const { links } = client.stack.services;
  const urls = [stored.mediaUrl];
  for (const query of [{ format: "conversation" }, { format: "raw" }]) {
    const { body } = await client.history(tenant, query);
    const [item] = body.conversation ?? body.messages;
    urls.push(item.mediaUrl ?? item.content.split("\n")[1]);
    if (item.mediaUrl !== undefined) {
      assertEquals([item.mediaId, item.mediaStatus], [stored.mediaId, "stored"]);
    }
  }
  assertEquals(new Set(urls).size, urls.length);
  for (const url of urls) {
    const query = Object.fromEntries(new URL(url).searchParams);
    assert(links.verify(stored.mediaId, query) !== null, url);
  }
  const hidden = await client.history(tenant, { attachments: "false" });
  assertEquals(hidden.body.conversation[0].content, "A peça\n[image]");
});

Deno.test("a document of the official channel is looked up by its id and fetched with the token", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  const { client } = files;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const { provider } = client.stack;
  provider.answer = ({ path, headers }) => {
    if (!/^Bearer ./.test(headers.get("authorization") ?? "")) {
      return new Response(null, { status: 401 });
    }
    if (path.endsWith("/4711")) {
      return Response.json({
        url: `${provider.baseUrl}/lookaside`,
        mime_type: "application/pdf",
        sha256: sha256Of(paper),
        file_size: paper.byteLength,
        id: "4711",
      });
    }
    return path === "/lookaside" ? new Response(paper) : new Response(null, { status: 404 });
  };
  await files.receiveCloud(tenant, "document", {
    id: "4711",
    mime_type: "application/pdf",
    sha256: sha256Of(paper, "base64"),
    filename: "nota.pdf",
    caption: "A nota",
  });
  await files.fetchFiles();
  const message = await files.lastMessage(tenant);
  assertEquals([message.mediaStatus, message.messageType], ["stored", "document"]);
  assertEquals([...storage.files.values()], [paper]);
  const { body } = await client.history(tenant, { format: "raw" });
  assertEquals([body.messages[0].mediaFilename, body.messages[0].mediaId], [
    "nota.pdf",
    message.mediaId,
  ]);
});

Deno.test("Evolution's copy is fetched by its URL, and without one the file is asked for by its message", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  const { client } = files;
  const tenant = await client.createTenant({ provider: "evolution" });
  const { provider } = client.stack;
  const digest = Object.fromEntries(Object.entries([...Uint8Array.from(
    sha256Of(picture).match(/../g) ?? [],
    (hex) => parseInt(hex, 16),
  )]));
  provider.answer = ({ path, json, headers }) => {
    if (path === "/bucket/photo") return new Response(picture);
    if (!path.startsWith("/chat/getBase64FromMediaMessage/") || headers.get("apikey") === null) {
      return new Response(null, { status: 404 });
    }
    const { key } = json["message"] as { key: { id: string } };
    return Response.json({
      mediaType: "imageMessage",
      caption: 'a "base64":"trap',
      id: key.id,
      base64: btoa(String.fromCharCode(...picture)),
      buffer: null,
    }, { status: 201 });
  };
  const file = { mimetype: "image/jpeg", fileSha256: digest };
  await files.receiveEvolution(tenant, "imageMessage", file, {
    mediaUrl: `${provider.baseUrl}/bucket/photo`,
  });
  await files.fetchFiles();
  assertEquals((await files.lastMessage(tenant)).mediaStatus, "stored");
  await files.receiveEvolution(tenant, "imageMessage", file);
  await files.fetchFiles();
  assertEquals((await files.lastMessage(tenant)).mediaStatus, "stored");
  assertEquals([...storage.files.values()], [picture, picture]);
  assertEquals(provider.requests.map(({ path }) => path.split("/")[1]), ["bucket", "chat"]);
});

Deno.test("the event of a received file names it, and each reading of the feed has a new link", async () => {
  await using files = await createFileClient();
  const { client } = files;
  const tenant = await client.createTenant();
  const feed = async () => {
    const { body } = await client.stack.request(
      "/events-api/events?after=oldest&types=message.received",
      {
        headers: { "X-Client-Token": tenant.token },
      },
    );
    return body.items[0];
  };
  await files.receiveZapi(tenant, "/photo");
  const { mediaId } = await files.lastMessage(tenant);
  const [first, second] = [await feed(), await feed()];
  assertEquals([first.data.mediaId, first.data.mediaStatus], [mediaId, "pending"]);
  assertNotEquals(first.data.mediaUrl, second.data.mediaUrl);
  const query = Object.fromEntries(new URL(first.data.mediaUrl).searchParams);
  assert(client.stack.services.links.verify(mediaId, query) !== null);
});

Deno.test("an event of a sent picture names the URL that the call gave, as its record does", async () => {
  await using files = await createFileClient();
  const { stack } = files.client;
  const tenant = await files.client.createTenant();
  const mediaUrl = "https://cdn.example.com/a.png";
  const { body: sent } = await stack.send(tenant, { phone, messageType: "image", mediaUrl });
  const { body: record } = await stack.messages(tenant, "GET", `/messages/${sent.messageId}`);
  const { body } = await stack.request("/events-api/events?after=oldest&types=message.sent", {
    headers: { "X-Client-Token": tenant.token },
  });
  const { mediaId, mediaStatus, mediaUrl: told } = body.items[0].data;
  assertEquals([mediaId, mediaStatus, told], [null, null, mediaUrl]);
  assertEquals([record.mediaId, record.mediaStatus, record.mediaUrl], [null, null, mediaUrl]);
});

Deno.test("several files of one delivery are each fetched, also those of an echo and of a group", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  const { client } = files;
  const tenant = await client.createTenant();
  client.stack.provider.answer = serveFiles({ "/a": picture, "/b": picture, "/c": picture });
  await files.receiveZapi(tenant, "/a");
  await files.receiveZapi(tenant, "/b", { fromMe: true, fromApi: false });
  await files.receiveZapi(tenant, "/c", { isGroup: true, phone: "5511-group" });
  await files.fetchFiles();
  assertEquals(storage.files.size, 3);
  const rows = await client.stack.admin`
    select m.direction, d.status from messaging.messages m
    join messaging.media d on d.id = m.media_id order by m.created_at`;
  assertEquals(rows.map(({ direction, status }) => `${direction} ${status}`), [
    "inbound stored",
    "outbound stored",
    "inbound stored",
  ]);
});

Deno.test("a message from before files were kept shows what it always showed", async () => {
  await using files = await createFileClient();
  const { client } = files;
  const tenant = await client.createTenant();
  await files.receiveZapi(tenant, "/photo");
  await client.stack.admin`
    update messaging.messages
    set media_id = null, content = '{"mediaUrl": "https://cdn.example.com/old.jpg"}'`;
  const { mediaId, mediaStatus, mediaUrl } = await files.lastMessage(tenant);
  const old = "https://cdn.example.com/old.jpg";
  assertEquals([mediaId, mediaStatus, mediaUrl], [null, null, old]);
  const { body } = await client.history(tenant);
  assertEquals(body.conversation[0].content, `A peça\n${old}`);
});
