/** What conversation.turn tells of what webhooks have brought. */

import { assert, assertEquals, assertNotEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { functionsUrl } from "../../support/stack/messaging_stack.ts";
import { createFileClient, type FileClient, serveFiles } from "../media/received_file_client.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Body = any;

async function createTurnsTenant({ client }: FileClient): Promise<Tenant> {
  const tenant = await client.createTenant();
  const { admin } = client.stack;
  await admin`update messaging.instances set turns = ${
    admin.json({ quietSeconds: 30, maxSeconds: 300 })
  }`;
  return tenant;
}

/** Lets the turn end, and reads the feed. */
async function readTurns({ client }: FileClient, tenant: Tenant): Promise<readonly Body[]> {
  await letTimePass(client.stack.admin, 30);
  await client.stack.dispatch();
  const { body } = await client.stack.request(
    `/events-api/events?after=oldest&types=conversation.turn`,
    { headers: { "X-Client-Token": tenant.token } },
  );
  return body.items.map(({ data }: { data: unknown }) => data);
}

Deno.test("a turn has a new signed link to each of its files at every reading, as the records of messages", async () => {
  await using files = await createFileClient();
  const { client } = files;
  client.stack.provider.answer = serveFiles({ "/photo": padded(heads.jpeg, 20_000) });
  const tenant = await createTurnsTenant(files);
  await client.receive(tenant, { messageId: "text", text: { message: "veja" } });
  await files.receiveZapi(tenant, "/photo");
  await files.fetchFiles();
  const [turn] = await readTurns(files, tenant);
  const record = await files.lastMessage(tenant);
  const [again] = await readTurns(files, tenant);
  assertEquals(turn.messages.map(({ message }: Body) => message), ["veja", "A peça"]);
  const [text, picture] = turn.messages;
  assertEquals([text.mediaId, text.mediaUrl], [null, null]);
  assertEquals([picture.mediaId, picture.mediaStatus], [record.mediaId, "stored"]);
  assertNotEquals(picture.mediaUrl, again.messages[1].mediaUrl);
  const { links } = client.stack.services;
  for (const { mediaUrl } of [picture, again.messages[1]]) {
    assert(mediaUrl.startsWith(`${functionsUrl}/media-api/links/${record.mediaId}`));
    const query = Object.fromEntries(new URL(mediaUrl).searchParams);
    assert(links.verify(record.mediaId, query) !== null, mediaUrl);
  }
  // All that the record says, but for its link.
  const { success: _success, mediaUrl: _mediaUrl, ...expected } = record;
  const shared = Object.entries(expected).filter(([name]) => Object.hasOwn(picture, name));
  assert(shared.length > 10);
  for (const [name, value] of shared) {
    const isInstant = name.endsWith("At") && typeof value === "string";
    assertEquals(
      isInstant ? Date.parse(picture[name]) : picture[name],
      isInstant ? Date.parse(value) : value,
      name,
    );
  }
});

Deno.test("webhooks that arrive in another order than the messages were written, and twice, are one turn in the order of arrival", async () => {
  await using files = await createFileClient();
  const { client } = files;
  const tenant = await createTurnsTenant(files);
  const now = Date.now();
  for (const [place, age] of [2_000, 90_000, 1_000, 60_000, 0].entries()) {
    const message = {
      ...{ messageId: `in-${place}`, momment: now - age },
      text: { message: `${place}` },
    };
    await client.receive(tenant, message);
    if (place === 1) await client.receive(tenant, message);
    await letTimePass(client.stack.admin, 10);
  }
  const turns = await readTurns(files, tenant);
  const words = turns.map(({ messages }) => messages.map(({ message }: Body) => message));
  assertEquals(words, [["0", "1", "2", "3", "4"]]);
});

Deno.test("a turn's event stays below 20,000 bytes with the links to its files, in the feed", async () => {
  await using files = await createFileClient();
  const tenant = await createTurnsTenant(files);
  for (let place = 0; place < 30; place++) await files.receiveZapi(tenant, `/photo-${place}`);
  await letTimePass(files.client.stack.admin, 300);
  await files.client.stack.dispatch();
  const { body } = await files.client.stack.request(
    "/events-api/events?after=oldest&types=conversation.turn",
    { headers: { "X-Client-Token": tenant.token } },
  );
  const [event] = body.items;
  assertEquals([event.data.isTruncated, event.data.messages.length], [true, 30]);
  const isWhole = (record: Body): boolean => Object.keys(record).length > 1;
  const whole = event.data.messages.filter(isWhole);
  assert(whole.every(({ mediaUrl }: Body) => mediaUrl.startsWith(functionsUrl)));
  const bytes = new TextEncoder().encode(JSON.stringify(event)).length;
  // What is left is room for longer links than those of this test.
  assert(bytes < 20_000 && bytes > 10_000, `${bytes} bytes, ${whole.length} whole records`);
});
