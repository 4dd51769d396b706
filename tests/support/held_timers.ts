/** Timers that end when a test says so: time-outs that do not depend on how quick the machine is. */

/** Holds the timers of one length. Disposing gives the runtime its timers back. */
export interface HeldTimers extends Disposable {
  /** How many are set. */
  count(): number;
  /** Ends those that are set. */
  end(): void;
  /** Ends the one that was set first. */
  endFirst(): void;
  /** Ends them as soon as a `fetch` has an answer, before its body is read to the end. */
  endWhenAnswered(): void;
}

/** @param ms the length, which nothing else in the test may use. The timers do not end by themselves. */
export function holdTimers(ms: number): HeldTimers {
  const { setTimeout: start, clearTimeout: clear, fetch: call } = globalThis;
  const held = new Map<unknown, () => void>();
  globalThis.setTimeout =
    ((task: (...given: unknown[]) => void, length?: number, ...given: unknown[]) => {
      if (length !== ms) return start(() => task(...given), length);
      // One of the runtime's timers, so that the sanitizers notice one that is never cleared.
      const timer = start(() => {}, 2 ** 31 - 1);
      held.set(timer, () => task(...given));
      return timer;
    }) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    held.delete(timer);
    clear(timer);
  };
  const endFirst = (): void => {
    const [first] = held;
    if (first === undefined) return;
    const [timer, task] = first;
    globalThis.clearTimeout(timer as number);
    task();
  };
  const end = (): void => {
    for (let left = held.size; left > 0; left--) endFirst();
  };
  return {
    count: () => held.size,
    end,
    endFirst,
    endWhenAnswered: () => {
      globalThis.fetch = async (input, init) => {
        const response = await call(input, init);
        start(end);
        return response;
      };
    },
    [Symbol.dispose]: () => {
      globalThis.setTimeout = start;
      globalThis.clearTimeout = clear;
      globalThis.fetch = call;
    },
  };
}
