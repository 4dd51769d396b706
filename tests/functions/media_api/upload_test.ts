import { createHash } from "node:crypto";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import {
  type FilePart,
  pathOfLink,
  picture,
  readMedia,
  uploadFile,
  uploadUrl,
} from "./media_calls.ts";

const megabyte = 2 ** 20;

async function countRows({ admin }: MessagingStack): Promise<number> {
  const [row] = await admin`select count(*)::int as count from messaging.media`;
  return row?.["count"];
}

Deno.test("an uploaded file is stored as it is, and described", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { status, body } = await uploadFile(stack, tenant, picture);
  const { mediaId, expiresAt, ...facts } = body;
  assertEquals([status, facts], [201, {
    success: true,
    mimeType: "image/jpeg",
    size: 2_000,
    sha256: createHash("sha256").update(picture.bytes).digest("hex"),
  }]);
  assertMatch(mediaId, /^[0-9a-f-]{36}$/);
  assert(Date.parse(expiresAt) > Date.now() + 29 * 86_400_000);
  assertEquals([...stack.storage.files.keys()], [`${tenant.instanceId}/${mediaId}`]);
  assertEquals([...stack.storage.files.values()][0], picture.bytes);
});

Deno.test("files up to their kind's limit are taken, and larger ones are 413 and leave nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const cases: readonly (readonly [string, number])[] = [
    [heads.png, 5 * megabyte],
    [heads.mp3, 16 * megabyte],
    [heads.mp4, 16 * megabyte],
  ];
  for (const [head, limit] of cases) {
    const taken = await uploadFile(stack, tenant, { bytes: padded(head, limit) });
    assertEquals([taken.status, taken.body.size], [201, limit]);
    const refused = await uploadFile(stack, tenant, { bytes: padded(head, limit + 1) });
    assertEquals([refused.status, refused.body.error], [413, "payload_too_large"]);
  }
  assertEquals([await countRows(stack), stack.storage.files.size], [3, 3]);
});

Deno.test("a form that is declared larger than any file is 413 before it is read", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { status, body } = await uploadFile(stack, tenant, picture, {
    headers: {
      "Content-Type": "multipart/form-data; boundary=b",
      "Content-Length": String(102 * megabyte),
    },
  });
  assertEquals([status, body.error], [413, "payload_too_large"]);
});

Deno.test("a file whose type is not allowed, or not what it is called, is 415 and leaves nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const refused: readonly FilePart[] = [
    { bytes: padded(heads.html, 200), type: "text/html", name: "a.html" },
    { bytes: padded(heads.svg, 80), type: "image/svg+xml" },
    { bytes: padded(heads.zip, 200), type: "application/zip" },
    { bytes: padded(heads.html, 200), type: "image/jpeg", name: "a.jpg" },
    { bytes: padded(heads.png, 200), type: "image/jpeg", name: "a.jpg" },
    { bytes: padded(heads.executable, 200), type: "application/pdf", name: "a.pdf" },
  ];
  for (const part of refused) {
    const { status, body } = await uploadFile(stack, tenant, part);
    assertEquals([status, body.error], [415, "unsupported_media_type"], part.type);
  }
  assertEquals([await countRows(stack), stack.storage.files.size], [0, 0]);
});

Deno.test("a body that is neither a form with a file nor JSON with a url is refused", async () => {
  await using stack = await startMessagingStack();
  const { token } = await stack.createTenant();
  const headers = { "X-Client-Token": token };
  const post = (type: string, body: BodyInit): Promise<readonly [number, string]> =>
    stack.request("/media-api/media", {
      method: "POST",
      headers: { ...headers, "Content-Type": type },
      body,
    }).then(({ status, body }) => [status, body.error] as const);
  assertEquals(await post("image/jpeg", "\xff\xd8"), [415, "unsupported_media_type"]);
  assertEquals(await post("multipart/form-data", "x"), [415, "unsupported_media_type"]);
  const form = "multipart/form-data; boundary=b";
  assertEquals(await post(form, "no form"), [400, "invalid_request"]);
  assertEquals(await post(form, ""), [400, "invalid_request"]);
  const field = '--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nx\r\n--b--\r\n';
  assertEquals(await post(form, field), [400, "invalid_request"]);
  const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nOl';
  assertEquals(await post(form, file), [400, "invalid_request"]);
  const empty = `${file.slice(0, -2)}\r\n--b--\r\n`;
  assertEquals(await post(form, empty), [400, "invalid_request"]);
  assertEquals(await post("application/json", "{}"), [400, "invalid_request"]);
  assertEquals([await countRows(stack), stack.storage.files.size], [0, 0]);
});

Deno.test("a form with another instance is refused, wherever in it that stands", async () => {
  await using stack = await startMessagingStack();
  const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
  const own = { fields: { instanceId: tenant.instanceId } };
  assertEquals((await uploadFile(stack, tenant, picture, own)).status, 201);
  const foreign = { fields: { instanceId: other.instanceId } };
  const behind = await uploadFile(stack, tenant, picture, foreign);
  assertEquals([behind.status, behind.body.error], [404, "Instance not found"]);
  const before = await stack.request("/media-api/media", {
    method: "POST",
    headers: { "X-Client-Token": tenant.token },
    body: toForm([["instanceId", other.instanceId], ["file", new Blob([picture.bytes])]]),
  });
  assertEquals([before.status, before.body.error], [404, "Instance not found"]);
  assertEquals(await countRows(stack), 1);
});

Deno.test("a form's unknown fields are ignored and named, a repeated call's too", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const fields = {
    caption: "Peça",
    instanceId: tenant.instanceId,
    url: "https://example.com/a.jpg",
  };
  const headers = { "Idempotency-Key": "photo-2" };
  for (const options of [{ fields }, { fields, headers }, { fields, headers }]) {
    const { status, body } = await uploadFile(stack, tenant, picture, options);
    assertEquals([status, body.ignoredFields], [201, ["caption", "url"]]);
  }
  const { body } = await uploadFile(stack, tenant, picture);
  assertEquals(body.ignoredFields, undefined);
});

Deno.test("a file's name is kept, one that is too long with its extension", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const names = [
    ["fatura – março 📷.jpg", "fatura – março 📷.jpg"],
    [`${"é".repeat(300)}.jpg`, `${"é".repeat(251)}.jpg`],
    ["../../etc/passwd", "passwd"],
  ];
  for (const [name = "", kept] of names) {
    const { body } = await uploadFile(stack, tenant, { ...picture, name });
    const { headers } = await readMedia(stack, tenant, body.mediaId);
    const link = pathOfLink(headers.get("location") ?? "");
    const disposition =
      (await stack.request(link, { method: "HEAD" })).headers.get("content-disposition") ?? "";
    const written = disposition.slice(disposition.indexOf("''") + 2);
    assertEquals(decodeURIComponent(written), kept);
  }
});

function toForm(parts: readonly (readonly [string, string | Blob])[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
}

Deno.test("a repeated upload with one Idempotency-Key is one file, and with another file 422", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const headers = { "Idempotency-Key": "photo-1" };
  const first = await uploadFile(stack, tenant, picture, { headers });
  const again = await uploadFile(stack, tenant, picture, { headers });
  assertEquals([again.status, again.body], [201, first.body]);
  assertEquals(again.headers.get("idempotent-replayed"), "true");
  const other = { ...picture, bytes: padded(heads.jpeg, 2_001) };
  const reused = await uploadFile(stack, tenant, other, { headers });
  assertEquals([reused.status, reused.body.error], [422, "idempotency_key_reused"]);
  assertEquals(await countRows(stack), 1);
});

Deno.test("a storage that is away is 503, and leaves nothing behind", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  stack.storage.isAway = true;
  const { status, body, headers } = await uploadFile(stack, tenant, picture);
  assertEquals([status, body.error], [503, "service_unavailable"]);
  assert(headers.has("retry-after"));
  assertEquals(await countRows(stack), 0);
});

Deno.test("a file is uploaded from its URL, once per Idempotency-Key, also when the URL is gone", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  let isGone = false;
  stack.provider.answer = () =>
    isGone
      ? new Response(null, { status: 404 })
      : new Response(picture.bytes, { headers: { "content-type": "image/jpeg" } });
  const url = `${stack.provider.baseUrl}/files/photo.jpg`;
  const headers = { "Idempotency-Key": "url-1" };
  const first = await uploadUrl(stack, tenant, { url }, headers);
  assertEquals([first.status, first.body.mimeType, first.body.size], [201, "image/jpeg", 2_000]);
  isGone = true;
  assertEquals((await uploadUrl(stack, tenant, { url }, headers)).body, first.body);
  const gone = await uploadUrl(stack, tenant, { url });
  assertEquals([gone.status, gone.body.error], [502, "media_fetch_failed"]);
  assertEquals(gone.body.details, { code: "gone", status: 404 });
  assertEquals(await countRows(stack), 1);
});

Deno.test("a URL that lies, is too large, redirects or is no URL is refused and leaves nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { baseUrl } = stack.provider;
  const upload = async (answer: () => Response): Promise<readonly [number, string]> => {
    stack.provider.answer = answer;
    const { status, body } = await uploadUrl(stack, tenant, { url: `${baseUrl}/a.jpg` });
    return [status, body.error];
  };
  const serve = (head: string, size: number, type: string): () => Response => () =>
    new Response(padded(head, size), { headers: { "content-type": type } });
  assertEquals(await upload(serve(heads.html, 100, "image/jpeg")), [415, "unsupported_media_type"]);
  assertEquals(await upload(serve(heads.html, 100, "text/html")), [415, "unsupported_media_type"]);
  const large = serve(heads.jpeg, 5 * megabyte + 1, "image/jpeg");
  assertEquals(await upload(large), [413, "payload_too_large"]);
  stack.provider.answer = () => new Response("");
  const empty = (await uploadUrl(stack, tenant, { url: `${baseUrl}/a.jpg` })).body;
  assertEquals([empty.error, empty.issues[0].path], ["invalid_request", "url"]);
  const redirecting = (): Response => Response.redirect("https://example.com/", 302);
  assertEquals(await upload(redirecting), [502, "media_fetch_failed"]);
  for (const url of ["nothing", "ftp://example.com/a", "https://a:b@example.com/", ""]) {
    const { status, body } = await uploadUrl(stack, tenant, { url });
    assertEquals([status, body.error, body.issues[0].path], [400, "invalid_request", "url"], url);
  }
  assertEquals([await countRows(stack), stack.storage.files.size], [0, 0]);
});
