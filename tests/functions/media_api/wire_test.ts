/** Uploads over real HTTP, where a caller goes on sending what is already refused, or goes away. */
import { assert, assertEquals } from "../../support/assert.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";

const megabyte = 2 ** 20;

interface Server extends AsyncDisposable {
  readonly url: string;
}

function serve(stack: MessagingStack): Server {
  const server = startTestServer(stack.handleMedia);
  return {
    url: `${server.origin}/media-api/media`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function toForm(bytes: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  form.append("file", new Blob([bytes]), "a");
  return form;
}

Deno.test("a caller that goes on sending a refused file hears the refusal, and can go on calling", async () => {
  await using stack = await startMessagingStack();
  const { token } = await stack.createTenant();
  await using server = serve(stack);
  const headers = { "X-Client-Token": token };
  const send = async (bytes: Uint8Array<ArrayBuffer>): Promise<readonly [number, string]> => {
    const response = await fetch(server.url, { method: "POST", headers, body: toForm(bytes) });
    return [response.status, (await response.json()).error];
  };
  for (let round = 0; round < 3; round++) {
    const large = await send(padded(heads.png, 30 * megabyte));
    assertEquals(large, [413, "payload_too_large"]);
    const lying = await send(padded(heads.html, 30 * megabyte));
    assertEquals(lying, [415, "unsupported_media_type"]);
  }
  const declared = await send(padded(heads.pdf, 101 * megabyte));
  assertEquals(declared, [413, "payload_too_large"]);
});

Deno.test("a caller that goes away in the middle of a file leaves neither a row nor a file", async () => {
  await using stack = await startMessagingStack();
  const { token } = await stack.createTenant();
  await using server = serve(stack);
  const leaving = new AbortController();
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  let isBegun = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller): Promise<void> {
      // A body that has been given up may be asked for more.
      if (leaving.signal.aborted) return;
      if (isBegun) {
        const count = async (): Promise<boolean> => {
          const [row] = await stack.admin`select count(*)::int as count from messaging.media`;
          return row?.["count"] === 1;
        };
        await waitUntil(count, { what: "the upload to begin" });
        leaving.abort();
        return;
      }
      isBegun = true;
      controller.enqueue(new TextEncoder().encode(head));
      controller.enqueue(padded(heads.pdf, 100_000));
    },
  });
  await fetch(server.url, {
    method: "POST",
    headers: { "X-Client-Token": token, "Content-Type": "multipart/form-data; boundary=b" },
    body,
    signal: leaving.signal,
  }).catch(() => {});
  assert(leaving.signal.aborted);
  await waitUntil(async () => {
    const [row] = await stack.admin`select count(*)::int as count from messaging.media`;
    return row?.["count"] === 0;
  }, { what: "the row to go" });
  assertEquals(stack.storage.files.size, 0);
});
