import { tmpdir } from "node:os";
import { join } from "node:path";

/** A range below the ports that systems give to connections: 32,768 and up on Linux, 49,152 elsewhere. */
interface PortRange {
  readonly first: number;
  readonly count: number;
}

const listening: PortRange = { first: 20_000, count: 12_000 };
/** On which no test listens: for those that may not write the file that all count in. */
const silent: PortRange = { first: 19_000, count: 1_000 };

/**
 * A port of 127.0.0.1 on which nothing listens, for a server that starts later or again. The system gives
 * it to no one meanwhile, as it may give one that `port: 0` has found; and no other test gets it, in
 * whatever process, until all others have had their turn.
 */
export function findFreePort(): number {
  for (;;) {
    const port = choosePort();
    try {
      using _listener = Deno.listen({ hostname: "127.0.0.1", port });
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

function choosePort(): number {
  const folder = tmpdir();
  const { state } = Deno.permissions.querySync({ name: "write", path: folder });
  return state === "granted"
    ? listening.first + takeTurn(folder)
    : silent.first + Math.floor(Math.random() * silent.count);
}

/** The next number below the range's count. All processes of this user that run tests count together. */
function takeTurn(folder: string): number {
  const path = join(folder, `messaging-test-ports-${Deno.uid()}`);
  using file = Deno.openSync(path, { read: true, write: true, create: true });
  file.lockSync(true);
  const bytes = new Uint8Array(8);
  const length = file.readSync(bytes) ?? 0;
  const former = length === 0
    ? Math.floor(Math.random() * listening.count)
    : Number(new TextDecoder().decode(bytes.subarray(0, length)));
  const turn = (former + 1) % listening.count;
  file.truncateSync();
  file.seekSync(0, Deno.SeekMode.Start);
  file.writeSync(new TextEncoder().encode(`${turn}`));
  return turn;
}
