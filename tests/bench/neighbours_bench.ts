import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { type Scene, scenes, type World } from "./neighbour_scenes.ts";
import { strangerScenes } from "./stranger_scenes.ts";
import { startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";
import type { SteadySends } from "./steady_sends.ts";

/** Calls per second of the measured tenant. */
const sendsPerSecond = 20;

/** What a scene leaves behind is not measured as quiet. */
const partingMs = 3_000;

/** Of the instance whose calls hang at the measured tenant's host. */
const hangingBesideNumber = 3;

const transports = [
  { name: "direct", options: [] },
  { name: "Data API", options: ["--data-api"] },
] as const;

/**
 * Compares the sends of one tenant with and without what another does, scene by scene and on both
 * transports. Quiet phases and scenes take turns.
 */
export const neighboursBench: Bench = {
  name: "neighbours",
  title: `${sendsPerSecond} sends a second of one tenant, p95, while another one costs`,
  async run(context: BenchContext): Promise<void> {
    await using double = await startOnPort("tests/bench/provider_double.ts", {
      HANGING: `BENCH${hangingBesideNumber}`,
    });
    await using hanging = serveNothing();
    for (const transport of transports) {
      const chosen = [...scenes, ...strangerScenes].filter(({ name }) =>
        context.includes(`${transport.name}: ${name}`)
      );
      if (chosen.length === 0) continue;
      await using database = await context.server.createDatabase();
      await using stack = await startStackProcess(database, undefined, transport.options);
      const [busy, measured] = await stack.createInstances(2, double.origin);
      const [stuck] = await stack.createInstances(1, hanging.origin, 2);
      const [beside] = await stack.createInstances(1, double.origin, hangingBesideNumber);
      if (
        busy === undefined || measured === undefined || stuck === undefined || beside === undefined
      ) {
        throw new Error("four instances");
      }
      const world = {
        ...{ database, stack, busy, hanging: stuck, hangingBeside: beside },
        sizes: context.sizes,
      };
      using sender = startSender();
      const measure = (): Promise<number> =>
        sender.measureP95({
          ...{ url: `${stack.origin}/functions/v1/send-message`, instance: measured },
          ...{ perSecond: sendsPerSecond, seconds: context.sizes.seconds * 4 },
        });
      await measure();
      for (const scene of chosen) await compare(context, transport.name, { world, scene, measure });
    }
  },
};

interface Comparing {
  readonly world: World;
  readonly scene: Scene;
  readonly measure: () => Promise<number>;
}

async function compare(
  { sizes, report }: BenchContext,
  transport: string,
  { world, scene, measure }: Comparing,
): Promise<void> {
  const [under, over]: [number[], number[]] = [[], []];
  const leftSeconds: number[] = [];
  for (let round = 0; round < sizes.rounds; round += 1) {
    const begin = await scene.prepare(world);
    await untilSettled(world.database);
    under.push(await measure());
    const end = await begin();
    over.push(await measure());
    await end();
    const endedAt = performance.now();
    await untilQuiet(world.database);
    leftSeconds.push((performance.now() - endedAt) / 1_000);
    // Connections that end all at once are work, too.
    await new Promise((resolve) => setTimeout(resolve, partingMs));
  }
  report.comparison({
    what: `${transport}: p95 while somebody ${scene.name} : quiet p95`,
    over,
    under,
    names: ["meanwhile", "quiet"],
    unit: "ms",
    bar: { kind: "at most", value: 1.5 },
  });
  report.figure({
    what: "after it, until what it left to the dispatcher was done",
    value: percentile(leftSeconds, 50),
    unit: "s",
  });
}

/**
 * Sends in a thread of its own: what the other tenant's load costs this process is not the product's.
 */
function startSender(): Disposable & {
  measureP95(sends: SteadySends): Promise<number>;
} {
  const worker = new Worker(new URL("./steady_sends.ts", import.meta.url), { type: "module" });
  return {
    measureP95: (sends) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      worker.onmessage = ({ data }: MessageEvent<readonly number[]>) =>
        resolve(percentile(data, 95));
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
      worker.postMessage(sends);
      return promise;
    },
    [Symbol.dispose]: () => worker.terminate(),
  };
}

/** What a scene prepared is on disk, and its statistics are known: neither is measured. */
async function untilSettled({ admin }: BenchDatabase): Promise<void> {
  await admin`analyze messaging.messages`;
  await admin`checkpoint`;
}

/** Waits until the dispatcher has done what a scene left to it. */
async function untilQuiet({ admin }: BenchDatabase): Promise<void> {
  for (;;) {
    const left = await admin`
      select from messaging.contacts where merged_into is not null
      union all select from messaging.erasures where status = 'pending'
      limit 1`;
    if (left.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** A provider that takes every call and answers none. */
function serveNothing(): AsyncDisposable & { readonly origin: string } {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Promise<Response>(() => {}),
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: async () => {
      await Promise.race([
        server.shutdown(),
        new Promise((resolve) => setTimeout(resolve, 1_000)),
      ]);
    },
  };
}
