/** A file of the largest size passes through a process that hardly grows, on both levels of the runtime. */

import { fileURLToPath } from "node:url";
import { installNpmPackage } from "../../supabase/tools/npm_package.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { startStorageServer } from "../support/doubles/storage_server.ts";

const megabyte = 2 ** 20;
const root = fileURLToPath(new URL("../..", import.meta.url));
const program = "tests/support/media/fetch_one.ts";

/** Serves PDF files of as many megabytes as their path says. */
function serveDocuments(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const size = Number(new URL(request.url).pathname.slice(1)) * megabyte;
    let sent = 0;
    const body = new ReadableStream({
      pull(controller): void {
        const part = new Uint8Array(Math.min(65_536, size - sent));
        if (sent === 0) part.set(new TextEncoder().encode("%PDF-1.7\n"));
        sent += part.byteLength;
        controller.enqueue(part);
        if (sent >= size) controller.close();
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-length": String(size) } });
  });
}

const runtimes: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  "this version of Deno": () =>
    Promise.resolve([Deno.execPath(), "run", "--quiet", "-A", "--lock=deno.lock"]),
  "the hosted runtime's version": async () => {
    const installed = await installNpmPackage("deno@2.1.4");
    if ("failure" in installed) throw new Error(installed.failure);
    const asUploaded = ["--no-config", "--no-lock", "--import-map=import_map.json"];
    return [`${installed.folder}/deno`, "run", "--quiet", "--no-check", "-A", ...asUploaded];
  },
};

for (const [name, findRuntime] of Object.entries(runtimes)) {
  Deno.test(`a document of 100 MB passes through ${name}, which grows by less than 30 MB`, async () => {
    const documents = serveDocuments();
    try {
      await using storage = startStorageServer({ keepsFiles: false });
      const [command = "", ...args] = await findRuntime();
      const origin = `http://127.0.0.1:${documents.addr.port}`;
      // The first one loads what every file needs.
      const urls = [`${origin}/1`, `${origin}/100`];
      const { success, stdout, stderr } = await new Deno.Command(command, {
        args: [...args, program, storage.url, storage.secretKey, ...urls],
        cwd: root,
        env: { NO_COLOR: "1" },
        stdin: "null",
      }).output();
      const output = new TextDecoder().decode(stdout);
      assert(success, output + new TextDecoder().decode(stderr));
      const [, { outcome, size, grownBytes, durationMs }] = output.trim().split("\n")
        .map((line) => JSON.parse(line));
      assertEquals([outcome, size], ["stored", 100 * megabyte]);
      assertEquals(storage.readBytes(), 101 * megabyte);
      assert(grownBytes < 30 * megabyte, `${Math.round(grownBytes / megabyte)} MB`);
      // deno-lint-ignore no-console
      console.log(`${Math.round(grownBytes / megabyte)} MB, ${durationMs} ms`);
    } finally {
      await documents.shutdown();
    }
  });
}
