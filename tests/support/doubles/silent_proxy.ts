/**
 * A proxy between a client and Postgres that can drop the traffic of its current connections without
 * closing them, as a firewall does that loses its connection table.
 */

export interface SilentProxy extends AsyncDisposable {
  /** Connection string through the proxy. */
  readonly databaseUrl: string;
  /** Drops all traffic of the current connections. New connections work. */
  silence(): void;
}

/** Starts it on a free port. */
export function startSilentProxy(databaseUrl: string): SilentProxy {
  const target = new URL(databaseUrl);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const links = new Set<Link>();
  const serving = (async () => {
    for await (const client of listener) {
      const server = await Deno.connect({
        hostname: target.hostname,
        port: Number(target.port),
      });
      links.add(connect(client, server));
    }
  })();
  const proxied = new URL(databaseUrl);
  proxied.host = `127.0.0.1:${listener.addr.port}`;
  return {
    databaseUrl: proxied.href,
    silence: () => links.forEach((link) => link.silence()),
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await serving;
      await Promise.all([...links].map((link) => link.close()));
    },
  };
}

interface Link {
  silence(): void;
  close(): Promise<void>;
}

function connect(client: Deno.TcpConn, server: Deno.TcpConn): Link {
  let isSilent = false;
  const pass = async (from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> => {
    const bytes = new Uint8Array(65_536);
    try {
      for (let count = await from.read(bytes); count !== null; count = await from.read(bytes)) {
        for (let sent = 0; !isSilent && sent < count;) {
          sent += await to.write(bytes.subarray(sent, count));
        }
      }
      if (!isSilent) await to.closeWrite();
    } catch {
      // One side has closed. The other side is closed when the proxy stops.
    }
  };
  const passing = Promise.all([pass(client, server), pass(server, client)]);
  return {
    silence: () => {
      isSilent = true;
    },
    close: async () => {
      for (const connection of [client, server]) connection.close();
      await passing;
    },
  };
}
