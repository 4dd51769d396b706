/** A process that is killed while callers upload files: nothing stays behind, and nothing pretends. */

import { createFolderStorage } from "../../shared/media/folder_storage.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { letTimePass } from "../support/database/time_travel.ts";
import { heads, padded } from "../support/fixtures/media_files.ts";
import type { Tenant } from "../support/fixtures/tenant.ts";
import { startFunctionProcess } from "../support/stack/function_process.ts";
import { type MessagingStack, startMessagingStack } from "../support/stack/messaging_stack.ts";
import { waitUntil } from "../support/wait_until.ts";
import { readMedia, uploadFile, uploadUrl } from "../functions/media_api/media_calls.ts";
import { startTestServer } from "../support/doubles/test_server.ts";

const photo = { bytes: padded(heads.jpeg, 300_000), type: "image/jpeg", name: "peça.jpg" };
const [firstPart, rest] = [photo.bytes.slice(0, 200_000), photo.bytes.slice(200_000)];
const keys = { form: { "Idempotency-Key": "form" }, url: { "Idempotency-Key": "url" } } as const;

Deno.test("a process killed in the middle of uploads leaves nothing of them an hour later", async () => {
  await using uploads = await beginUploads();
  await uploads.kill();
  await assertNothingStays(uploads);
});

Deno.test("a process killed between an upload's file and its record leaves nothing of it an hour later", async () => {
  await using uploads = await beginUploads();
  const { stack } = uploads;
  const { admin } = stack;
  const locked = await admin.reserve();
  try {
    await locked`begin`;
    await locked`select from messaging.media where status = 'pending' for update`;
    uploads.finishBodies();
    await waitUntil(async () => (await listWaiting(stack)).length === 2, {
      what: "the calls that record both files",
    });
    assertEquals((await uploads.listFiles("content")).length, 3);
    await uploads.kill();
    // A call of a dead process that waits for a lock would still be executed.
    await waitUntil(async () => {
      const waiting = await listWaiting(stack);
      for (const pid of waiting) await admin`select pg_terminate_backend(${pid})`;
      return waiting.length === 0;
    }, { what: "the end of the dead process' calls" });
  } finally {
    await locked`rollback`;
    locked.release();
  }
  await assertNothingStays(uploads);
});

interface Uploads extends AsyncDisposable {
  /** Of another process, on the same database and folder. */
  readonly stack: MessagingStack;
  readonly tenant: Tenant;
  /** Where the second upload is fetched from. */
  readonly url: string;
  /** An upload that was answered before. */
  readonly storedId: string;
  /** Lets the rest of both files come. */
  finishBodies(): void;
  kill(): Promise<void>;
  listFiles(name: "content" | "part"): Promise<string[]>;
}

/** A form and a URL, each of which has come in part, and a file that was stored before. */
async function beginUploads(): Promise<Uploads> {
  await using cleanup = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  cleanup.defer(() => Deno.remove(folder, { recursive: true }));
  const testDatabase: TestDatabase = cleanup.use(await createTestDatabase());
  const stack = cleanup.use(
    await startMessagingStack({ testDatabase, storage: createFolderStorage(folder) }),
  );
  const tenant = await stack.createTenant();
  const stored = await uploadFile(stack, tenant, photo);
  const held = Promise.withResolvers<void>();
  cleanup.defer(() => held.resolve());
  const files = startTestServer(
    () => new Response(inTwoParts(held.promise), { headers: { "Content-Type": photo.type } }),
  );
  cleanup.use(files);
  const url = `${files.origin}/photo.jpg`;
  const api = cleanup.use(
    await startFunctionProcess({
      slug: "media-api",
      databaseUrl: testDatabase.url,
      environment: { MEDIA_FOLDER: folder, ALLOW_PRIVATE_HOSTS: "true" },
    }),
  );
  const calls = [
    fetch(`${api.url}/media`, {
      method: "POST",
      headers: {
        "X-Client-Token": tenant.token,
        "Content-Type": "multipart/form-data; boundary=b",
        ...keys.form,
      },
      body: inTwoParts(held.promise, {
        before:
          '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n',
        behind: "\r\n--b--\r\n",
      }),
    }),
    fetch(`${api.url}/media`, {
      method: "POST",
      headers: {
        "X-Client-Token": tenant.token,
        "Content-Type": "application/json",
        ...keys.url,
      },
      body: JSON.stringify({ url }),
    }),
  ].map((call) => call.then((response) => response.body?.cancel()).catch(() => {}));
  const listFiles = (name: "content" | "part"): Promise<string[]> => listNamed(folder, name);
  await waitUntil(async () => (await listFiles("part")).length === 2, { what: "both uploads" });
  const keep = cleanup.move();
  return {
    ...{ stack, tenant, url, listFiles },
    storedId: stored.body.mediaId,
    finishBodies: () => held.resolve(),
    kill: async () => {
      await api.kill();
      held.resolve();
      await Promise.all(calls);
    },
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

/** The sessions whose call to record an upload waits for a lock. */
async function listWaiting({ admin }: MessagingStack): Promise<readonly number[]> {
  const rows = await admin<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and query like '%finish_upload%' and wait_event_type = 'Lock'`;
  return rows.map(({ pid }) => pid);
}

/** The photo: its first part at once, the rest after `held`. */
function inTwoParts(
  held: Promise<void>,
  { before = "", behind = "" } = {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let isBegun = false;
  return new ReadableStream({
    async pull(controller): Promise<void> {
      if (!isBegun) {
        isBegun = true;
        controller.enqueue(encoder.encode(before));
        controller.enqueue(firstPart);
        return;
      }
      await held;
      controller.enqueue(rest);
      controller.enqueue(encoder.encode(behind));
      controller.close();
    },
  }, { highWaterMark: 0 });
}

async function assertNothingStays(uploads: Uploads): Promise<void> {
  const { stack, tenant, storedId } = uploads;
  const begun = await stack.admin<{ id: string }[]>`
    select id from messaging.media where status = 'pending'`;
  assertEquals(begun.length, 2);
  for (const { id } of begun) {
    const read = await readMedia(stack, tenant, id);
    assertEquals([read.status, read.body.error], [404, "media_not_found"]);
    const phone = "5511987654321";
    const sent = await stack.send(tenant, { phone, messageType: "image", mediaId: id });
    assertEquals([sent.status, sent.body.error], [404, "media_not_found"]);
  }
  // Half an hour belongs to uploads that are only slow; then the file has some minutes more.
  await letTimePass(stack.admin, 45 * 60);
  await stack.dispatch();
  await letTimePass(stack.admin, 15 * 60);
  await waitUntil(async () => {
    await stack.dispatch();
    return (await uploads.listFiles("part")).length === 0 &&
      (await uploads.listFiles("content")).length === 1;
  }, { what: "the deletion of what the uploads have left" });
  const rows = await stack.admin`select id, status from messaging.media`;
  assertEquals(rows.map((row) => ({ ...row })), [{ id: storedId, status: "stored" }]);
  const [left = ""] = await uploads.listFiles("content");
  assert(left.includes(storedId), left);
  assertEquals(await Deno.readFile(left), photo.bytes);
  // The callers heard nothing, and call again.
  const again = [
    await uploadFile(stack, tenant, photo, { headers: keys.form }),
    await uploadUrl(stack, tenant, { url: uploads.url }, keys.url),
  ];
  for (const { status, body } of again) {
    assertEquals([status, body.size], [201, photo.bytes.byteLength]);
    assertEquals((await readMedia(stack, tenant, body.mediaId)).status, 302);
  }
}

async function listNamed(folder: string, name: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await listNamed(path, name));
    else if (entry.name.startsWith(name)) found.push(path);
  }
  return found;
}
