/** A worker that keeps connections on which it has sent the beginning of a request, and nothing more. */

export interface HeldConnections {
  readonly port: number;
  readonly count: number;
  /** What is sent on each. */
  readonly beginning: string;
}

self.onmessage = async ({ data }: MessageEvent<HeldConnections>): Promise<void> => {
  const opened = Array.from({ length: data.count }, () => Promise.withResolvers<void>());
  opened.forEach(({ resolve }) => keepOpen(data, resolve));
  await Promise.all(opened.map(({ promise }) => promise));
  self.postMessage("held");
};

declare const self: {
  onmessage: (event: MessageEvent<HeldConnections>) => Promise<void>;
  postMessage(word: "held"): void;
};

/** Who is let go comes back a second later. */
const pauseMs = 1_000;

async function keepOpen({ port, beginning }: HeldConnections, onOpen: () => void): Promise<void> {
  const bytes = new TextEncoder().encode(beginning);
  for (;;) {
    try {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(bytes);
      onOpen();
      // Until the server closes it.
      while (await connection.read(new Uint8Array(1_024)) !== null);
    } catch {
      // Refused or reset.
    }
    onOpen();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
