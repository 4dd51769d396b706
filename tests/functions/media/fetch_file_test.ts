import { openFile } from "../../../shared/media/checked_file.ts";
import { fetchFile, type FetchRules, type FileRequest } from "../../../shared/media/fetch_file.ts";
import { MediaFault } from "../../../shared/media/media_fault.ts";
import { HostResolution } from "../../../shared/runtime/host_resolution.ts";
import { assertEquals, assertRejects } from "../../support/assert.ts";
import { findFreePort } from "../../support/free_port.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";

const rules: FetchRules = {
  allowsPrivateHosts: true,
  hosts: new HostResolution(() => Promise.resolve(["192.168.1.7"])),
  headersTimeoutMs: 60_000,
  stallTimeoutMs: 60_000,
  totalTimeoutMs: 60_000,
};

interface FileServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: Headers[];
}

/** A file server over real HTTP. What it has not sent when the test ends is dropped. */
function serveFile(answer: (request: Request) => Response | Promise<Response>): FileServer {
  const requests: Headers[] = [];
  const ended = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: ended.signal },
    (request) => {
      requests.push(new Headers(request.headers));
      return answer(request);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/file`,
    requests,
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await server.finished;
    },
  };
}

/** A body that sends `first` and then nothing more, or the same again without end. */
function keepOpen(first: Uint8Array<ArrayBuffer>, repeats = false): ReadableStream<Uint8Array> {
  let isFirst = true;
  return new ReadableStream({
    async pull(controller): Promise<void> {
      if (!isFirst && !repeats) await Promise.withResolvers<void>().promise;
      isFirst = false;
      controller.enqueue(first);
    },
  });
}

async function load(request: FileRequest, given: Partial<FetchRules> = {}): Promise<number> {
  const source = await fetchFile(request, { ...rules, ...given });
  const file = await openFile(source);
  await file.body.pipeTo(new WritableStream());
  return file.facts().size;
}

async function refuse(request: FileRequest, given: Partial<FetchRules> = {}): Promise<MediaFault> {
  return await assertRejects(() => load(request, given), MediaFault);
}

Deno.test("a file is fetched with the headers that its host asks for, unpacked", async () => {
  await using server = serveFile(() => new Response(padded(heads.pdf, 300_000)));
  assertEquals(await load({ url: server.url, headers: { authorization: "Bearer a" } }), 300_000);
  assertEquals(server.requests[0]?.get("authorization"), "Bearer a");
  assertEquals(server.requests[0]?.get("accept-encoding"), "identity");
});

Deno.test("a redirect is not followed", async () => {
  await using target = serveFile(() => new Response(padded(heads.pdf, 10)));
  await using server = serveFile(() => Response.redirect(target.url, 302));
  const { reason, isTemporary } = await refuse({ url: server.url });
  assertEquals([reason, isTemporary], ["redirected", false]);
  assertEquals(target.requests.length, 0);
});

Deno.test("a status says whether the file is gone, or may come later", async () => {
  const cases: readonly (readonly [number, string, boolean])[] = [
    [404, "gone", false],
    [410, "gone", false],
    [401, "http_error", false],
    [206, "http_error", false],
    [429, "http_error", true],
    [500, "http_error", true],
    [503, "http_error", true],
  ];
  for (const [status, reason, isTemporary] of cases) {
    await using server = serveFile(() =>
      new Response("nothing", { status, headers: { "retry-after": "7" } })
    );
    const fault = await refuse({ url: server.url });
    assertEquals([fault.reason, fault.isTemporary, fault.status], [reason, isTemporary, status]);
    if (reason === "http_error") assertEquals(fault.retryAfterMs, 7_000);
  }
});

Deno.test("a server that sends no headers, or stops within the file, does not keep the caller", async () => {
  await using silent = serveFile(() => Promise.withResolvers<Response>().promise);
  assertEquals((await refuse({ url: silent.url }, { headersTimeoutMs: 50 })).reason, "timed_out");
  await using stalling = serveFile(() => new Response(keepOpen(padded(heads.pdf, 10_000))));
  const fault = await refuse({ url: stalling.url }, { stallTimeoutMs: 50 });
  assertEquals([fault.reason, fault.isTemporary], ["timed_out", true]);
});

Deno.test("a server that never ends, or goes on slowly, is bounded in size and in time", async () => {
  await using endless = serveFile(() => new Response(keepOpen(padded(heads.png, 65_536), true)));
  assertEquals((await refuse({ url: endless.url })).reason, "too_large");
  await using slow = serveFile(() => new Response(keepOpen(padded(heads.png, 4_096))));
  assertEquals((await refuse({ url: slow.url }, { totalTimeoutMs: 100 })).reason, "timed_out");
});

Deno.test("a server that announces more than it sends is a lost connection, and one that packs is refused", async () => {
  await using breaking = serveFile(() =>
    new Response(
      new ReadableStream({
        start(controller): void {
          controller.enqueue(padded(heads.pdf, 9_000));
          setTimeout(() => controller.error(new Error("gone")), 10);
        },
      }),
    )
  );
  const fault = await refuse({ url: breaking.url });
  assertEquals([fault.reason, fault.isTemporary], ["connection_lost", true]);
  await using packing = serveFile(() =>
    new Response(
      new Blob([padded(heads.pdf, 300_000)]).stream().pipeThrough(new CompressionStream("gzip")),
      { headers: { "content-encoding": "gzip" } },
    )
  );
  assertEquals((await refuse({ url: packing.url })).reason, "packed");
});

Deno.test("nobody who listens is a lost connection", async () => {
  const url = `http://127.0.0.1:${findFreePort()}/file`;
  assertEquals((await refuse({ url })).reason, "connection_lost");
});

Deno.test("a private host is called only where it is allowed, or at the instance's own origin", async () => {
  await using server = serveFile(() => new Response(padded(heads.pdf, 10)));
  const own = { allowsPrivateHosts: false };
  assertEquals((await refuse({ url: server.url }, own)).reason, "private_host");
  assertEquals(
    await load({ url: server.url, trustedBaseUrl: new URL(server.url).origin }, own),
    10,
  );
  const { port } = new URL(server.url);
  const others = ["http://127.0.0.1:9", `https://127.0.0.1:${port}`, `http://127.0.0.2:${port}`];
  for (const trustedBaseUrl of [...others, "nothing", ""]) {
    const { reason } = await refuse({ url: server.url, trustedBaseUrl }, own);
    assertEquals([trustedBaseUrl, reason], [trustedBaseUrl, "private_host"]);
  }
  assertEquals((await refuse({ url: "https://files.example.com/a" }, own)).reason, "private_host");
  const unknown = new HostResolution(() =>
    Promise.reject(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }))
  );
  const fault = await refuse({ url: "https://files.example.com/a" }, { ...own, hosts: unknown });
  assertEquals([fault.reason, fault.isTemporary], ["host_not_found", true]);
  for (const url of ["ftp://a.example.com/a", "https://u:p@a.example.com/", "nothing"]) {
    assertEquals((await refuse({ url })).reason, "invalid_url", url);
  }
  assertEquals(server.requests.length, 1);
});
