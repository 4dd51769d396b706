import { assert, assertEquals } from "../../support/assert.ts";
import { StorageError } from "../../../shared/media/storage.ts";
import { heads, toBytes } from "../../support/fixtures/media_files.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type FilePart, pathOfLink, picture, readMedia, uploadFile } from "./media_calls.ts";

async function upload(stack: MessagingStack, tenant: Tenant, part: FilePart): Promise<string> {
  return (await uploadFile(stack, tenant, part)).body.mediaId;
}

/** What the function answers at a link, as it leaves. */
async function follow(stack: MessagingStack, link: string): Promise<Response> {
  return await stack.fetchMedia(pathOfLink(link));
}

Deno.test("a file is read by a redirect to a URL that works for an hour, and without the token", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant, picture);
  const { status, headers } = await readMedia(stack, tenant, mediaId);
  assertEquals([status, headers.get("cache-control")], [302, "no-store"]);
  const location = headers.get("location") ?? "";
  const endsInMs = Number(new URL(location).searchParams.get("expires")) - Date.now();
  assert(endsInMs > 3_500_000 && endsInMs <= 3_600_000, String(endsInMs));
  const response = await follow(stack, location);
  assertEquals(response.status, 200);
  assertEquals(new Uint8Array(await response.arrayBuffer()), picture.bytes);
});

Deno.test("a player gets the part of a file that it asks for, and the whole where that makes no sense", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant, picture);
  const link = stack.services.links.create(mediaId, 60);
  const ask = async (range: string, more: HeadersInit = {}): Promise<Response> =>
    await stack.handleMedia(
      new Request(`http://localhost${pathOfLink(link)}`, { headers: { range, ...more } }),
    );
  const parts: readonly (readonly [string, number, number])[] = [
    ["bytes=0-", 0, 2_000],
    ["bytes=0-0", 0, 1],
    ["bytes=10-19", 10, 20],
    ["bytes=1990-9999", 1_990, 2_000],
    ["bytes=-5", 1_995, 2_000],
    ["bytes=-9999", 0, 2_000],
  ];
  for (const [range, start, end] of parts) {
    const { status, headers, ...response } = await read(await ask(range));
    assertEquals([status, headers.get("content-range")], [206, `bytes ${start}-${end - 1}/2000`]);
    assertEquals(headers.get("content-length"), String(end - start));
    assertEquals(headers.get("content-type"), "image/jpeg");
    assertEquals(response.bytes, picture.bytes.slice(start, end), range);
  }
  for (const range of ["bytes=2000-", "bytes=5-4", "bytes=-0", "bytes=-", "bytes=0-1,3-4", "x"]) {
    const { status, bytes } = await read(await ask(range));
    assertEquals([status, bytes], [200, picture.bytes], range);
  }
  const { status, headers } = await read(await ask("bytes=0-9", { "if-range": '"another"' }));
  assertEquals([status, headers.get("accept-ranges")], [200, "bytes"]);
});

async function read(
  response: Response,
): Promise<{ status: number; headers: Headers; bytes: Uint8Array }> {
  const { status, headers } = response;
  return { status, headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

Deno.test("a storage that serves files itself is redirected to, no longer than the link lasts", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant, { bytes: toBytes(heads.text), name: "a.txt" });
  const signed: unknown[] = [];
  stack.storage.sign = (path, options) => {
    signed.push([path, options]);
    return Promise.resolve("https://project.example.com/storage/v1/sign/x");
  };
  const read = await readMedia(stack, tenant, mediaId);
  assertEquals(read.headers.get("location"), "https://project.example.com/storage/v1/sign/x");
  const link = stack.services.links.create(mediaId, 60);
  const followed = await follow(stack, link);
  assertEquals([followed.status, await followed.text()], [302, ""]);
  const path = `${tenant.instanceId}/${mediaId}`;
  assertEquals(signed, [
    [path, { expiresInSeconds: 3_600, downloadName: "a.txt" }],
    [path, { expiresInSeconds: 60, downloadName: "a.txt" }],
  ]);
});

Deno.test("a link that is forged, altered, another file's or over opens nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const [mediaId, otherId] = [
    await upload(stack, tenant, picture),
    await upload(stack, tenant, picture),
  ];
  const { links } = stack.services;
  const link = links.create(mediaId);
  const refused = [
    link.replace(mediaId, otherId),
    link.replace(/expires=\d/, "expires=9"),
    link.replace(/signature=(.)/, (_, first) => `signature=${first === "A" ? "B" : "A"}`),
    link.replace(/\?.*/, ""),
    links.create(mediaId, -1),
  ];
  for (const url of refused) {
    const response = await follow(stack, url);
    assertEquals(
      [response.status, (await response.json()).error],
      [403, "invalid_media_link"],
      url,
    );
  }
  assertEquals((await follow(stack, link)).status, 200);
});

Deno.test("no file runs in a browser: markup has no type of its own, and only what is harmless is shown", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant, { ...picture, name: "a;peça.jpg" });
  const shown = await follow(stack, stack.services.links.create(mediaId, 60, "file.jpg"));
  await shown.body?.cancel();
  assertEquals(
    Object.fromEntries(["type", "disposition", "length"].map((name) => [
      name,
      shown.headers.get(`content-${name}`),
    ])),
    {
      type: "image/jpeg",
      disposition: `inline; filename="a;pe_a.jpg"; filename*=UTF-8''a%3Bpe%C3%A7a.jpg`,
      length: "2000",
    },
  );
  assertEquals(shown.headers.get("x-content-type-options"), "nosniff");
  assertEquals(shown.headers.get("content-security-policy"), "default-src 'none'; sandbox");
  for (const type of ["text/html", "image/svg+xml", "application/javascript", "text/xml"]) {
    await stack.admin`
      update messaging.media set mime_type = ${type}, filename = 'x.html' where id = ${mediaId}`;
    const response = await follow(stack, stack.services.links.create(mediaId));
    await response.body?.cancel();
    assertEquals(response.headers.get("content-type"), "application/octet-stream", type);
    assert(response.headers.get("content-disposition")?.startsWith("attachment;"), type);
  }
});

Deno.test("what is unknown, another instance's, pending, failed or expired says so", async () => {
  await using stack = await startMessagingStack();
  const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
  const mediaId = await upload(stack, tenant, picture);
  const refuse = async (id: string, reader: Tenant = tenant): Promise<readonly unknown[]> => {
    const { status, body } = await readMedia(stack, reader, id);
    return [status, body.error];
  };
  const set = (status: string, origin = "channel"): Promise<unknown> =>
    stack.admin`
      update messaging.media set status = ${status}, origin = ${origin},
        last_error = '{"code": "gone", "message": "Gone."}' where id = ${mediaId}`;
  assertEquals(await refuse(mediaId, other), [404, "media_not_found"]);
  assertEquals(await refuse(crypto.randomUUID()), [404, "media_not_found"]);
  assertEquals(await refuse("nothing"), [404, "media_not_found"]);
  await set("pending");
  assertEquals(await refuse(mediaId), [409, "media_pending"]);
  assert((await readMedia(stack, tenant, mediaId)).headers.has("retry-after"));
  const link = stack.services.links.create(mediaId);
  const pending = await follow(stack, link);
  assertEquals([pending.status, (await pending.json()).error], [409, "media_pending"]);
  await set("failed");
  assertEquals(await refuse(mediaId), [410, "media_failed"]);
  assertEquals((await readMedia(stack, tenant, mediaId)).body.details.code, "gone");
  await set("expired");
  assertEquals(await refuse(mediaId), [410, "media_expired"]);
  await set("pending", "upload");
  assertEquals(await refuse(mediaId), [404, "media_not_found"]);
});

for (const serves of ["the service", "the storage"]) {
  Deno.test(`a file that the storage has lost is 410 media_expired where ${serves} serves it, its row says so, and no send takes it`, async () => {
    await using stack = await startMessagingStack();
    const tenant = await stack.createTenant();
    const mediaId = await upload(stack, tenant, picture);
    await stack.storage.delete([`${tenant.instanceId}/${mediaId}`]);
    if (serves === "the storage") {
      stack.storage.sign = () => Promise.reject(new StorageError("missing"));
    }
    const response = await follow(stack, stack.services.links.create(mediaId, 60));
    const { error, details } = await response.json();
    assertEquals([response.status, error, details.code], [410, "media_expired", "lost"]);
    const read = await readMedia(stack, tenant, mediaId);
    assertEquals([read.status, read.body.error], [410, "media_expired"]);
    const [row] = await stack.admin`select status from messaging.media where id = ${mediaId}`;
    assertEquals(row?.["status"], "expired");
  });
}

Deno.test("a send that names a file which the storage has lost is refused, and nothing leaves", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const mediaId = await upload(stack, tenant, picture);
  await stack.storage.delete([`${tenant.instanceId}/${mediaId}`]);
  const message = { phone: "5511987654321", messageType: "image", mediaId };
  const { status, body } = await stack.send(tenant, message);
  assertEquals([status, body.error], [410, "media_expired"]);
  assertEquals(stack.provider.requests.length, 0);
  const [row] = await stack.admin`select status from messaging.media where id = ${mediaId}`;
  assertEquals(row?.["status"], "expired");
});
