import { connect, type Socket } from "node:net";

/** What the driver passes on of its options. */
interface SocketOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false;
}

/**
 * An option of the driver for a client that opens one connection in its life. The driver itself (postgres
 * 3.4.9) connects again at once, and without end, where a connection is closed before it can be used: some 600
 * times a second where a proxy has no server behind it. And it would connect a client that had a session to
 * whatever server the name leads to then.
 */
export function singleSession(): { socket: (options: SocketOptions) => Socket } {
  let hasConnected = false;
  return {
    socket: ({ host, port, path }) => {
      if (hasConnected) throw Object.assign(new Error("the session is over"), { code });
      hasConnected = true;
      if (path) return connect(path);
      return connect(port[0] ?? 5432, host[0]);
    },
  };
}

/** As the driver names it when a session has ended. */
const code = "CONNECTION_CLOSED";
