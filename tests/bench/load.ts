/** Generates load: each caller makes one call after the other. */
export interface Load {
  readonly callers: number;
  readonly seconds: number;
  /** One call; `sequence` counts the calls of all callers. */
  readonly call: (sequence: number, caller: number) => Promise<unknown>;
}

let callsMade = 0;

/** Calls per second of all callers. A failing call ends the measurement. */
export async function measureRate({ callers, seconds, call }: Load): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let done = 0;
  const runCaller = async (caller: number): Promise<void> => {
    while (performance.now() < endsAt) {
      callsMade += 1;
      await call(callsMade, caller);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => runCaller(caller)));
  return done / ((performance.now() - startedAt) / 1_000);
}

/** Calls per second over `count` calls. A failing call ends the measurement. */
export async function measureBatch(
  { callers, count, call }: {
    readonly callers: number;
    readonly count: number;
    /** One call; `place` counts from 0. */
    readonly call: (place: number) => Promise<unknown>;
  },
): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const runCaller = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: callers }, runCaller));
  return count / ((performance.now() - startedAt) / 1_000);
}

/** Duration of each call in milliseconds. A failing call ends the measurement. */
export async function measureLatencies(load: Load): Promise<number[]> {
  const latencies: number[] = [];
  await measureRate({
    ...load,
    call: async (sequence, caller) => {
      latencies.push(await measureMs(() => load.call(sequence, caller)));
    },
  });
  return latencies;
}

/**
 * Messages per second that `callers` process until `target` messages are done or none is left.
 *
 * @param batch processes some messages and returns how many; 0 when none is left.
 */
export async function measureDrain(
  { callers, target, batch }: {
    readonly callers: number;
    readonly target: number;
    readonly batch: () => Promise<number>;
  },
): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  let empty = 0;
  const runCaller = async (): Promise<void> => {
    while (done < target && empty < callers * 50) {
      const count = await batch();
      done += count;
      empty = count === 0 ? empty + 1 : 0;
    }
  };
  await Promise.all(Array.from({ length: callers }, runCaller));
  if (done < target) throw new Error(`only ${done} of ${target} messages were worked off`);
  return done / ((performance.now() - startedAt) / 1_000);
}

/** Duration of an operation in milliseconds. */
export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
