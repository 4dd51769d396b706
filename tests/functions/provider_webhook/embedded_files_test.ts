/** Files that Evolution embeds in its webhooks are kept: its business channel cannot be asked for them. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { assert, assertEquals } from "../../support/assert.ts";
import { createWebhookClient, evolutionMessage, type WebhookClient } from "./webhook_client.ts";

/** A picture of so many bytes, as far as its first bytes go. */
function picture(size: number): Uint8Array {
  const bytes = new Uint8Array(size).map((_, place) => place % 251);
  bytes.set(Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"));
  return bytes;
}

/** A received picture as the business channel tells it, in Meta's spelling. */
function withFile(bytes: Uint8Array, id = "wamid.1", members = {}): Record<string, unknown> {
  return evolutionMessage({
    imageMessage: {
      ...{ id: "M1", mime_type: "image/png", filename: "a.png" },
      sha256: createHash("sha256").update(bytes).digest("base64"),
      ...members,
    },
    base64: Buffer.from(bytes).toString("base64"),
  }, { id });
}

async function readFiles({ stack }: WebhookClient): Promise<readonly Record<string, unknown>[]> {
  return await stack.admin`
    select f.status, f.mime_type, f.size::integer, f.filename, f.storage_path, f.last_error->>'code' as code,
      (select count(*)::integer from messaging.messages m where m.media_id = f.id) as messages
    from messaging.media f order by f.created_at`;
}

/** Promises to delete a file from the storage. */
async function countDeletions({ stack }: WebhookClient): Promise<number> {
  return (await stack.admin`select from messaging.outbox where kind = 'media_delete'`).length;
}

for (const size of [600, 48 * 1024, 64 * 1024, 3 * 1024 * 1024 + 1]) {
  Deno.test(`an embedded file of ${size} bytes is kept as it is, and nobody is asked for it`, async () => {
    await using client = await createWebhookClient();
    const tenant = await client.createTenant({ provider: "evolution" });
    const bytes = picture(size);
    assertEquals((await client.evolution(tenant, withFile(bytes))).body.recorded, 1);
    const [file, ...others] = await readFiles(client);
    assertEquals(others, []);
    assertEquals(
      [file?.["status"], file?.["mime_type"], file?.["size"], file?.["filename"]],
      ["stored", "image/png", size, "a.png"],
    );
    const kept = client.stack.storage.files.get(`${file?.["storage_path"]}`);
    assert(kept !== undefined && Buffer.compare(kept, bytes) === 0, "the file is another one");
    const due = await client.stack.admin`select kind from messaging.outbox`;
    assertEquals(due.map(({ kind }) => kind), []);
    const payloads = await client.stack.admin<{ payload: string }[]>`
      select payload from messaging.provider_events`;
    assert(
      payloads.every(({ payload }) => payload.length < 2_000 && payload.includes('"base64":""')),
    );
    // Told again, it is neither a message nor a file more.
    assertEquals((await client.evolution(tenant, withFile(bytes))).body.recorded, 0);
    assertEquals((await readFiles(client)).length, 1);
    const { body } = await client.history(tenant, { format: "raw" });
    const [row] = body.messages;
    assertEquals([row.mediaStatus, row.mediaMimeType, row.mediaSize], [
      "stored",
      "image/png",
      size,
    ]);
  });
}

Deno.test("while the storage is away the message is recorded, and the delivery made again brings its file", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const bytes = picture(200_000);
  client.stack.storage.isAway = true;
  const refused = await client.evolution(tenant, withFile(bytes));
  assertEquals([refused.status, refused.body.error], [503, "service_unavailable"]);
  assertEquals((await client.messages(tenant)).length, 1);
  // Meanwhile the dispatcher has asked the channel, which cannot tell.
  await client.stack.admin`update messaging.media set status = 'failed' where origin = 'channel'`;
  client.stack.storage.isAway = false;
  assertEquals((await client.evolution(tenant, withFile(bytes))).status, 200);
  const files = (await readFiles(client)).filter(({ messages }) => messages === 1);
  assertEquals(files.map(({ status, size }) => [status, size]), [["stored", 200_000]]);
  assertEquals((await client.messages(tenant)).length, 1);
});

Deno.test("an embedded file that is not what its message says is not kept, and the message says why", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const html = Buffer.from(`<!doctype html><html>${" ".repeat(100_000)}</html>`);
  await client.evolution(tenant, withFile(html));
  const [file] = await readFiles(client);
  assertEquals([file?.["status"], file?.["code"]], ["failed", "type_mismatch"]);
  assertEquals(await countDeletions(client), 1);
});

Deno.test("a voice message that came with its event is written down where the instance asks for it", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  await client.stack.admin`
    update messaging.instances set transcribe_voice = 'always' where id = ${tenant.instanceId}`;
  const voice = Buffer.concat([Buffer.from("OggS\0\x02", "latin1"), Buffer.alloc(90_000)]);
  const audioMessage = { mime_type: "audio/ogg; codecs=opus", voice: true };
  await client.evolution(
    tenant,
    evolutionMessage({ audioMessage, base64: voice.toString("base64") }),
  );
  const due = await client.stack.admin`select kind from messaging.outbox`;
  assertEquals(due.map(({ kind }) => kind), ["media_transcription"]);
});

Deno.test("the file of an ignored event is not left behind", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const reaction = { reactionMessage: { text: "" }, base64: "A".repeat(100_000) };
  assertEquals((await client.evolution(tenant, evolutionMessage(reaction))).body.recorded, 0);
  assertEquals((await readFiles(client)).length, 0);
  assertEquals(await countDeletions(client), 1);
});
