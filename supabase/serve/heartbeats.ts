/**
 * How the process that started workers learns that one of them does no more: one that was stopped, that is
 * stuck in its own work, or whose machine gives it no time. Each worker sends a byte a second over a
 * connection of this machine.
 */

import { consoleLog, describeDefect } from "../../shared/runtime/log.ts";

/** How often a worker says that it lives. */
const beatEveryMs = 1_000;
const hostname = "127.0.0.1";

/** Where workers report. */
export interface HeartbeatListener {
  /** The port that `sendHeartbeats` takes. */
  readonly port: number;
  /** Whether this process has reported since the last call; null where it never has, as while it starts. */
  takeBeat(pid: number): boolean | null;
  close(): void;
}

/** Listens on this machine for the heartbeats of workers. */
export function listenForHeartbeats(): HeartbeatListener {
  const listener = Deno.listen({ hostname, port: 0 });
  const beats = new Map<number, boolean>();
  const connections = new Set<Deno.Conn>();
  const accept = async (): Promise<void> => {
    for await (const connection of listener) {
      connections.add(connection);
      hear(connection, beats)
        // A worker that has died: its end is noticed by the process that started it.
        .catch(() => {})
        .finally(() => {
          connections.delete(connection);
          closeQuietly(connection);
        });
    }
  };
  accept().catch((error) => consoleLog.error("heartbeats_failed", describeDefect(error)));
  return {
    port: listener.addr.port,
    takeBeat: (pid) => {
      const beat = beats.get(pid);
      if (beat === undefined) return null;
      beats.set(pid, false);
      return beat;
    },
    close: () => {
      listener.close();
      connections.forEach(closeQuietly);
    },
  };
}

/** Each line is a worker's process id; its end takes it off. */
async function hear(connection: Deno.Conn, beats: Map<number, boolean>): Promise<void> {
  let pid: number | null = null;
  try {
    const lines = connection.readable.pipeThrough(new TextDecoderStream());
    for await (const text of lines) {
      pid ??= Number.parseInt(text);
      beats.set(pid, true);
    }
  } finally {
    if (pid !== null) beats.delete(pid);
  }
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // Closed already.
  }
}

/** Reports to the process that listens on this port, until `close` is called or that process has ended. */
export async function sendHeartbeats(port: number): Promise<{ close(): void }> {
  const connection = await Deno.connect({ hostname, port });
  const beat = new TextEncoder().encode(`${Deno.pid}\n`);
  const close = (): void => {
    clearInterval(timer);
    closeQuietly(connection);
  };
  const send = (): void => void connection.write(beat).catch(close);
  const timer = setInterval(send, beatEveryMs);
  send();
  return { close };
}
