import type { Bench, BenchContext } from "./bench.ts";
import { functionEnvironment } from "./function_environment.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { alternate } from "./rounds.ts";
import { post, type StackInstance, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";

/** Rate limit of the flooded instance: ten a second. */
const requestsPerMinute = 600;
/** Ten times the limit. */
const floodPerSecond = 100;
/** Calls per second of the measured instance. */
const quietPerSecond = 20;

/** Compares sends of one instance with and without a flood on another at ten times its limit. */
export const floodBench: Bench = {
  name: "flood",
  title: `Sends of one instance while another gets ${floodPerSecond} calls a second, ` +
    `with a limit of ${requestsPerMinute} a minute`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    await using double = await startOnPort("tests/bench/provider_double.ts", {});
    await using stack = await startStackProcess(database);
    const [flooded, measured] = await stack.createInstances(2, double.origin);
    if (flooded === undefined || measured === undefined) throw new Error("two instances");
    await limitRequests(stack.origin, flooded);
    const url = `${stack.origin}/functions/v1/send-message`;
    let sequence = 0;
    const call = ({ instanceId, clientToken }: StackInstance): Promise<unknown> =>
      post(url, { "x-client-token": clientToken }, {
        instanceId,
        phone: String(5_521_990_000_000 + sequence++ % 500),
        messageType: "text",
        message: "Olá!",
      });
    let refused = 0;
    const flood = (): Promise<unknown> => call(flooded).catch(() => refused++);
    const measureP95 = async (isFlooded: boolean): Promise<number> => {
      const latenciesMs: number[] = [];
      const work: Promise<unknown>[] = [];
      const seconds = sizes.seconds * 2;
      const pace = isFlooded ? floodPerSecond : quietPerSecond;
      for (let tick = 0; tick < seconds * pace; tick++) {
        if (isFlooded) work.push(flood());
        if (tick % (pace / quietPerSecond) === 0) {
          const startedAt = performance.now();
          work.push(call(measured).then(() => latenciesMs.push(performance.now() - startedAt)));
        }
        await new Promise((resolve) => setTimeout(resolve, 1_000 / pace));
      }
      await Promise.all(work);
      return percentile(latenciesMs, 95);
    };
    await measureP95(false);
    const { under, over } = await alternate(sizes.rounds, {
      under: () => measureP95(false),
      over: () => measureP95(true),
    });
    report.comparison({
      what: "p95 beside the flood : quiet p95",
      over,
      under,
      names: ["beside the flood", "quiet"],
      unit: "ms",
      bar: { kind: "at most", value: 1.5 },
    });
    report.note(`${refused} calls of the flood were rejected`);
  },
};

async function limitRequests(origin: string, { instanceId }: StackInstance): Promise<void> {
  const response = await fetch(`${origin}/functions/v1/admin-api/instances/${instanceId}`, {
    method: "PATCH",
    headers: {
      apikey: functionEnvironment["SUPABASE_SECRET_KEY"] ?? "",
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ requestsPerMinute }),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`PATCH: ${response.status}`);
}
