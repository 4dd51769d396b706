/** A TCP proxy for a database that counts round trips. */
export interface CountingProxy extends AsyncDisposable {
  readonly port: number;
  /** Round trips so far: how often a client sent after the server had, on any connection. */
  readonly roundTrips: () => number;
}

/** Listens on 127.0.0.1 and forwards all traffic to `target`. */
export function startCountingProxy(
  target: { readonly hostname: string; readonly port: number },
): CountingProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const work = new Set<Promise<void>>();
  let roundTrips = 0;
  const handOn = async (client: Deno.TcpConn): Promise<void> => {
    const server = await Deno.connect(target);
    for (const connection of [client, server]) open.add(connection);
    let isClientsTurn = true;
    await Promise.all([
      pump(client, server, () => {
        if (isClientsTurn) roundTrips += 1;
        isClientsTurn = false;
      }),
      pump(server, client, () => {
        isClientsTurn = true;
      }),
    ]);
  };
  const accept = async (): Promise<void> => {
    for await (const client of listener) {
      client.setNoDelay(true);
      const handing = handOn(client);
      work.add(handing);
      handing.finally(() => work.delete(handing));
    }
  };
  const accepting = accept();
  return {
    port: listener.addr.port,
    roundTrips: () => roundTrips,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const connection of open) closeQuietly(connection);
      await Promise.all([accepting, ...work]);
    },
  };
}

/** Forwards until either side closes, then closes the other. */
async function pump(from: Deno.TcpConn, to: Deno.TcpConn, onData: () => void): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
      onData();
      for (let written = 0; written < count;) {
        written += await to.write(buffer.subarray(written, count));
      }
    }
  } catch {
    // Closed by the other side or by the end of the measurement.
  }
  closeQuietly(from);
  closeQuietly(to);
}

function closeQuietly(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // Already closed.
  }
}
