/** A stream that is written to, at the pace of its reader. */
import type { Bytes } from "../model/bytes.ts";

/**
 * Unlike the pair of a TransformStream, which keeps a writer waiting for ever where the reader fails before
 * it has read, `fail` ends both sides at once.
 */
export class BytePipe {
  #controller: ReadableStreamDefaultController<Bytes> | null = null;
  #wanted = createSignal();

  readonly readable: ReadableStream<Bytes> = new ReadableStream<Bytes>({
    start: (controller) => {
      this.#controller = controller;
    },
    pull: () => this.#wanted.resolve(),
    cancel: (reason) => this.fail(reason),
  }, { highWaterMark: 0 });

  /** Resolves when the reader has asked for the chunk. Fails as the pipe does. */
  async write(chunk: Bytes): Promise<void> {
    await this.#wanted.promise;
    this.#wanted = createSignal();
    this.#controller?.enqueue(chunk);
  }

  /** Ends the stream after what was written. */
  close(): void {
    this.#controller?.close();
  }

  /** Ends reading and writing with this error. Changes nothing where the stream has ended. */
  fail(error: unknown): void {
    this.#wanted.reject(error);
    this.#controller?.error(error);
  }
}

/** A promise to be settled from outside. Its rejection may stay unheard. */
function createSignal(): PromiseWithResolvers<void> {
  const signal = Promise.withResolvers<void>();
  signal.promise.catch(() => {});
  return signal;
}
