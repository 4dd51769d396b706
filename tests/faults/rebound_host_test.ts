/** A host name whose addresses change between the check and the call ("DNS rebinding"). */

import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../support/assert.ts";
import { findDiskObstacle } from "../support/machine/small_disk.ts";

const obstacle = await findDiskObstacle();
const skipped = obstacle === null ? "" : ` (skipped: ${obstacle})`;
const root = fileURLToPath(new URL("../..", import.meta.url));
const calls = fileURLToPath(new URL("../support/faults/rebound_calls.ts", import.meta.url));
const host = "rebound.example.com";
/** First byte of a TLS record that opens a connection (RFC 8446, section 5.1). */
const handshake = 22;

Deno.test({
  name:
    `a private host that a checked name leads to by now gets no path, header or body: it has no certificate of that name${skipped}`,
  ignore: obstacle !== null,
  fn: async () => {
    await using heard = hearConnections();
    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(`${folder}/hosts`, `127.0.0.1 localhost ${host}\n`);
    const { stdout, stderr } = await new Deno.Command("unshare", {
      args: [
        ...["--mount", "sh", "-euc", 'mount --bind "$1" /etc/hosts; shift; exec "$@"', "sh"],
        ...[`${folder}/hosts`, Deno.execPath(), "run", "--quiet", "--no-check", "-A"],
        ...[`--lock=${root}/deno.lock`, `--config=${root}/deno.json`, calls],
        `${host}:${heard.port}`,
      ],
      // No proxy of this machine may take the calls.
      env: { HTTPS_PROXY: "", https_proxy: "", NO_PROXY: "*", no_proxy: "*" },
    }).output();
    await Deno.remove(folder, { recursive: true });
    const text = new TextDecoder().decode(stdout);
    assert(text.startsWith("{"), new TextDecoder().decode(stderr));
    assertEquals(JSON.parse(text), {
      fetched: "connection_lost",
      posted: [null, "connection_failed"],
    });
    // Both calls came here, so the name did lead here.
    assert(heard.texts.length >= 2, `${heard.texts.length} connections`);
    for (const bytes of heard.texts) {
      assertEquals(bytes.charCodeAt(0), handshake);
      assert(!bytes.includes("told-in-private"));
    }
  },
});

interface Heard extends AsyncDisposable {
  readonly port: number;
  /** What each connection has said first, a character a byte. */
  readonly texts: string[];
}

/** Takes connections, and closes each after its first bytes. */
function hearConnections(): Heard {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const texts: string[] = [];
  const hearing = (async () => {
    for await (const connection of listener) {
      const buffer = new Uint8Array(16_384);
      const count = await connection.read(buffer).catch(() => null) ?? 0;
      texts.push(String.fromCharCode(...buffer.subarray(0, count)));
      connection.close();
    }
  })();
  return {
    port: listener.addr.port,
    texts,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await hearing.catch(() => {});
    },
  };
}
