/** Files that cannot be had, or are not what they are said to be: each ends with its reason. */

import { FetchBudget } from "../../../shared/outbox/fetch_budget.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { createMemoryStorage } from "../../support/doubles/memory_storage.ts";
import { startStorageServer } from "../../support/doubles/storage_server.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { createSupabaseStorage } from "../../../shared/media/supabase_storage.ts";
import { StorageError } from "../../../shared/media/storage.ts";
import { createFileClient, serveFiles, sha256Of } from "./received_file_client.ts";
import { waitUntil } from "../../support/wait_until.ts";

const megabyte = 2 ** 20;
const picture = padded(heads.jpeg, 20_000);
const shortTimeouts = { headersTimeoutMs: 200, stallTimeoutMs: 200, totalTimeoutMs: 400 };

/** A body that never ends, without an announced size. */
function endless(head: string): Response {
  let isFirst = true;
  return new Response(
    new ReadableStream({
      pull(controller): void {
        controller.enqueue(isFirst ? padded(head, 65_536) : new Uint8Array(65_536));
        isFirst = false;
      },
    }),
  );
}

/** A body that begins and then stalls. */
function stalled(): Response {
  return new Response(
    new ReadableStream({
      start(controller): void {
        controller.enqueue(padded(heads.jpeg, 1_000));
      },
    }),
  );
}

const atOnce: readonly (readonly [
  name: string,
  answer: () => Response | Promise<Response>,
  status: string,
  code: string,
])[] = [
  ["is gone (404)", () => new Response(null, { status: 404 }), "expired", "gone"],
  ["is gone (410)", () => new Response(null, { status: 410 }), "expired", "gone"],
  [
    "announces too many bytes",
    () => new Response(padded(heads.jpeg, 5 * megabyte + 1)),
    "failed",
    "too_large",
  ],
  ["never ends", () => endless(heads.jpeg), "failed", "too_large"],
  ["is markup in a picture's name", () => new Response(heads.html), "failed", "type_mismatch"],
  [
    "runs, and is called a picture",
    () => new Response(padded(heads.html, 100)),
    "failed",
    "type_mismatch",
  ],
  ["is empty", () => new Response(new Uint8Array(0)), "failed", "empty_file"],
  ["redirects", () => Response.redirect("https://example.com/a", 302), "failed", "redirected"],
  ["is forbidden", () => new Response(null, { status: 403 }), "failed", "http_error"],
];

for (const [name, answer, status, code] of atOnce) {
  Deno.test(`a file that ${name} is ${status} at once, and nothing of it is kept`, async () => {
    const storage = createMemoryStorage();
    await using files = await createFileClient({ storage });
    const { client } = files;
    const tenant = await client.createTenant();
    client.stack.provider.answer = serveFiles({ "/photo": answer });
    await files.receiveZapi(tenant, "/photo");
    await files.fetchFiles();
    const { mediaStatus, mediaUrl, lastError } = await files.lastMessage(tenant);
    assertEquals([mediaStatus, mediaUrl, lastError.code], [status, null, code]);
    const { last_error, work, attempts } = await files.lastFile();
    assertEquals([last_error.code, work, attempts], [code, "done", 1]);
    assertEquals(storage.files.size, 0);
    assertEquals(client.stack.provider.requests.length, 1);
  });
}

Deno.test("a picture that is no such picture is kept, as a file that no browser shows", async () => {
  for (const head of [heads.png, heads.pdf, "\x01\x02"]) {
    const storage = createMemoryStorage();
    await using files = await createFileClient({ storage });
    const { client } = files;
    const tenant = await client.createTenant();
    client.stack.provider.answer = serveFiles({
      "/photo": () => new Response(padded(head, 100)),
    });
    await files.receiveZapi(tenant, "/photo");
    await files.fetchFiles();
    const { mediaStatus, mediaId } = await files.lastMessage(tenant);
    assertEquals([mediaStatus, storage.files.size], ["stored", 1]);
    assertEquals((await files.lastFile()).mime_type, "application/octet-stream");
    const link = await client.stack.request(`/media-api/media/${mediaId}`, {
      headers: { "x-client-token": tenant.token },
    });
    assertEquals(link.status, 302);
  }
});

const later:
  readonly (readonly [name: string, answer: () => Response | Promise<Response>, string])[] = [
    ["answers 503", () => new Response(null, { status: 503 }), "http_error"],
    ["does not answer", () => new Promise<Response>(() => {}), "timed_out"],
    ["stalls", stalled, "timed_out"],
  ];

for (const [name, answer, code] of later) {
  Deno.test(`a host that ${name} is tried five times over an hour, then the file is failed`, async () => {
    const storage = createMemoryStorage();
    await using files = await createFileClient({
      storage,
      ...(code === "timed_out" ? { fetchTimeouts: shortTimeouts } : {}),
    });
    const { client } = files;
    const tenant = await client.createTenant();
    client.stack.provider.answer = serveFiles({ "/photo": answer });
    await files.receiveZapi(tenant, "/photo");
    await files.fetchFiles();
    let waited = 0;
    for (let attempt = 1; attempt < 5; attempt++) {
      const { status, attempts, dueInSeconds } = await files.lastFile();
      assertEquals([status, attempts], ["pending", attempt]);
      waited += dueInSeconds;
      await files.fetchAgain();
    }
    assert(waited > 50 * 60 && waited < 65 * 60, `${waited} s`);
    const { status, last_error, work, attempts } = await files.lastFile();
    assertEquals([status, last_error.code, work, attempts], ["failed", code, "dead", 5]);
    assertEquals(storage.files.size, 0);
    // A person may send it round again.
    client.stack.provider.answer = serveFiles({ "/photo": picture });
    await client.stack.admin`
      update messaging.outbox set status = 'pending', settled_at = null, attempts = 0`;
    // A busy machine may take longer than the short time-outs, and tries again.
    await waitUntil(async () => {
      await files.fetchAgain();
      return (await files.lastMessage(tenant)).mediaStatus === "stored";
    }, { what: "the file" });
  });
}

Deno.test("a wrong SHA-256 is asked for once more, then the file is failed", async () => {
  await using files = await createFileClient();
  const { client } = files;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const { provider } = client.stack;
  let content = padded(heads.jpeg, 100);
  provider.answer = ({ path }) =>
    path === "/lookaside"
      ? new Response(content)
      : Response.json({ url: `${provider.baseUrl}/lookaside` });
  const file = { id: "4711", mime_type: "image/jpeg", sha256: sha256Of(picture, "base64") };
  await files.receiveCloud(tenant, "image", file);
  await files.fetchFiles();
  assertEquals((await files.lastFile()).status, "pending");
  await files.fetchAgain();
  const { status, last_error } = await files.lastFile();
  assertEquals([status, last_error.code], ["failed", "wrong_sha256"]);

  await files.receiveCloud(tenant, "image", file);
  await files.fetchFiles();
  content = picture;
  await files.fetchAgain();
  assertEquals((await files.lastFile()).status, "stored");
});

Deno.test("an id that the official channel has no longer is expired at once, a refused token is tried again", async () => {
  await using files = await createFileClient();
  const { client } = files;
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const answers: readonly (readonly [number, object, string])[] = [
    [404, {}, "expired"],
    [400, { error: { code: 100, error_subcode: 33 } }, "expired"],
    [400, { error: { code: 100, error_subcode: 1 } }, "failed"],
    [401, { error: { code: 190 } }, "pending"],
  ];
  for (const [status, body, expected] of answers) {
    client.stack.provider.answer = () => Response.json(body, { status });
    await files.receiveCloud(tenant, "image", { id: "4711", mime_type: "image/jpeg" });
    await files.fetchFiles();
    assertEquals((await files.lastFile()).status, expected, `${status}`);
  }
});

Deno.test("a private host is refused, but for the instance's own", async () => {
  await using files = await createFileClient({ allowsPrivateHosts: false });
  const { client } = files;
  const tenant = await client.createTenant();
  client.stack.provider.answer = serveFiles({ "/photo": picture });
  await files.receiveZapi(tenant, "/photo");
  await files.fetchFiles();
  assertEquals((await files.lastFile()).status, "stored");
  for (
    const url of ["http://127.0.0.2:9/a", "http://10.0.0.1/a", "http://169.254.169.254/latest"]
  ) {
    await files.receiveZapi(tenant, url);
    await files.fetchFiles();
    const { status, last_error } = await files.lastFile();
    assertEquals([status, last_error.code], ["failed", "private_host"], url);
  }
});

Deno.test("a storage that is away costs no attempt and loses no file", async () => {
  await using server = startStorageServer();
  await using files = await createFileClient({ storage: createSupabaseStorage(server) });
  const { client } = files;
  const tenant = await client.createTenant();
  client.stack.provider.answer = serveFiles({ "/photo": picture });
  server.failWith(503);
  await files.receiveZapi(tenant, "/photo");
  await files.fetchFiles();
  for (let attempt = 0; attempt < 6; attempt++) await files.fetchAgain();
  const { status, attempts, dueInSeconds } = await files.lastFile();
  assertEquals([status, attempts], ["pending", 0]);
  assert(dueInSeconds < 60);
  server.failWith(null);
  await files.fetchAgain();
  assertEquals((await files.lastMessage(tenant)).mediaStatus, "stored");
  assertEquals([...server.files.values()].map(({ bytes }) => bytes), [picture]);
});

Deno.test("of two large documents a run fetches one, and the next run the other, without a lost attempt", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  const { client } = files;
  const tenant = await client.createTenant();
  const large = padded(heads.pdf, 16 * megabyte + 1);
  client.stack.provider.answer = serveFiles({ "/a": large, "/b": large });
  for (const path of ["/a", "/b"]) {
    await files.receiveZapi(tenant, path, {
      document: {
        documentUrl: client.stack.provider.baseUrl + path,
        mimeType: "application/pdf",
        fileName: "nota.pdf",
      },
    });
  }
  await files.fetchFiles();
  const counts = async (): Promise<unknown> =>
    (await client.stack.admin`
      select array_agg(d.status || ' ' || o.attempts order by d.status) as files
      from messaging.media d join messaging.outbox o on o.payload->>'mediaId' = d.id::text`)[0]
      ?.["files"];
  assertEquals(await counts(), ["pending 0", "stored 1"]);
  await files.fetchAgain();
  assertEquals(await counts(), ["stored 1", "stored 1"]);
});

Deno.test("a file that is forgotten while it is fetched is deleted again", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  const { client } = files;
  const tenant = await client.createTenant();
  client.stack.provider.answer = serveFiles({
    "/photo": async () => {
      await client.stack.admin`
        select messaging.forget_media(array(select m.id from messaging.media m))`;
      return new Response(picture);
    },
  });
  await files.receiveZapi(tenant, "/photo");
  await files.fetchFiles();
  assertEquals(storage.files.size, 0);
  const promised = await client.stack.admin`
    select from messaging.outbox where kind = 'media_delete' and status = 'pending'`;
  assertEquals(promised.length, 1);
  await files.fetchAgain();
  const [left] = await client.stack.admin`
    select count(*)::integer as rows from messaging.outbox where settled_at is null`;
  assertEquals(left?.["rows"], 0);
});

Deno.test("a storage that does not delete a forgotten file keeps no other file waiting", async () => {
  const storage = createMemoryStorage();
  await using files = await createFileClient({ storage });
  const { client } = files;
  const { media } = client.stack.services;
  const tenant = await client.createTenant();
  storage.delete = () => Promise.reject(new StorageError("unavailable"));
  client.stack.provider.answer = serveFiles({
    "/forgotten": async () => {
      await client.stack.admin`
        select messaging.forget_media(
          array(select m.id from messaging.media m where m.source->>'url' like '%/forgotten')
        )`;
      return new Response(picture);
    },
    "/other": picture,
  });
  await files.receiveZapi(tenant, "/forgotten");
  await files.receiveZapi(tenant, "/other");
  const budget = new FetchBudget(100);
  const [forgotten] = await media.claimFiles(1);
  assert(forgotten !== undefined);
  const other = await media.fetchFile(forgotten, budget, { takesNext: () => true });
  assertMatch(other?.file.source.url ?? "", /\/other$/);
  const errors = client.stack.logLines.filter(({ level }) => level === "error");
  assertEquals(errors.map(({ event }) => event), ["media_storage_failed"]);
  // The erasure has promised the deletion besides.
  const promised = await client.stack.admin`
    select from messaging.outbox where kind = 'media_delete' and status = 'pending'`;
  assertEquals(promised.length, 1);
});

Deno.test("the log names ids and reasons of files, never their URLs", async () => {
  await using files = await createFileClient();
  const { client } = files;
  const tenant = await client.createTenant();
  client.stack.provider.answer = serveFiles({ "/secret-name": () => new Response(heads.html) });
  await files.receiveZapi(tenant, "/secret-name");
  await files.fetchFiles();
  const lines = JSON.stringify(client.stack.logLines);
  assert(lines.includes("media_not_fetched") && lines.includes("type_mismatch"));
  assert(!lines.includes("secret-name") && !lines.includes("A peça"));
});
