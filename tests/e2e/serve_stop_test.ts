/** What a stop of the service does to callers that take their time. */

import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { heads, padded } from "../support/fixtures/media_files.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";
import { startServe } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const photo = padded(heads.jpeg, 300_000);

Deno.test("a stop during an upload and a long poll ends both: the upload is stored whole, the poll answered, within 30 s", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  const { token } = await createTenant(database.admin, { baseUrl: "http://127.0.0.1:9" });
  const headers = { "X-Client-Token": token };
  await using service = await startServe({
    environment: { DATABASE_URL: database.url, MEDIA_FOLDER: folder.path },
  });
  const functions = `${service.origin}/functions/v1`;
  const held = Promise.withResolvers<void>();
  const upload = fetch(`${functions}/media-api/media`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "multipart/form-data; boundary=b" },
    body: inTwoParts(held.promise),
  });
  const poll = fetch(`${functions}/events-api/events?waitSeconds=20`, { headers });
  await waitUntil(async () => await hasPart(folder.path), { what: "the upload's first part" });
  const startedAt = performance.now();
  service.signal("SIGTERM");
  await waitUntil(async () => {
    const response = await fetch(`${service.origin}/health/ready`).catch(() => null);
    await response?.body?.cancel();
    return response?.status !== 200;
  }, { what: "a service that is not ready" });
  held.resolve();
  const stored = await upload;
  const { mediaId } = await stored.json();
  assertEquals(stored.status, 201);
  const polled = await poll;
  assertEquals([polled.status, (await polled.json()).items], [200, []]);
  assertEquals(await service.ended(), 0);
  assert(performance.now() - startedAt < 30_000);
  const [row] = await database.admin`
    select status from messaging.media where id = ${mediaId}`;
  assertEquals(row?.["status"], "stored");
});

/** A form of the photo, of which the second half comes after `held`. */
function inTwoParts(held: Promise<void>): ReadableStream<Uint8Array> {
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n';
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: async (controller) => {
      controller.enqueue(encoder.encode(head));
      controller.enqueue(photo.slice(0, 200_000));
      await held;
      controller.enqueue(photo.slice(200_000));
      controller.enqueue(encoder.encode("\r\n--b--\r\n"));
      controller.close();
    },
  });
}

/** Whether a file has come in part. */
async function hasPart(folder: string): Promise<boolean> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory ? await hasPart(`${folder}/${name}`) : name.startsWith("part")) return true;
  }
  return false;
}
