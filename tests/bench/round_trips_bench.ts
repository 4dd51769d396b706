import type { Bench, BenchContext } from "./bench.ts";
import { findFreePort, startChild } from "./child_process.ts";
import { startCountingProxy } from "./counting_proxy.ts";
import { functionEnvironment } from "./function_environment.ts";
import { messageText } from "./product_calls.ts";
import { serveProviderDouble } from "./provider_double.ts";
import { post, type StackInstance, startStackProcess } from "./stack_process.ts";

const warmUps = 20;
const sends = 100;

/** Counts the database round trips of an immediate send. */
export const roundTripsBench: Bench = {
  name: "round_trips",
  title: "Database round trips of an immediate send",
  async run({ server, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    await using double = serveProviderDouble(0);
    const instance = await createInstance(database, `http://127.0.0.1:${double.addr.port}`);

    const url = new URL(database.url);
    await using proxy = startCountingProxy({ hostname: url.hostname, port: Number(url.port) });
    url.hostname = "127.0.0.1";
    url.port = String(proxy.port);
    const address = `127.0.0.1:${findFreePort()}`;
    const endpoint = `http://${address}/send-message`;
    // Runs the unmodified function alone, so that nothing else is counted.
    await using _function = await startChild({
      args: ["run", "-A", "--lock=deno.lock", "functions/send-message/index.ts"],
      environment: {
        ...functionEnvironment,
        DATABASE_URL: url.href,
        DENO_SERVE_ADDRESS: `tcp:${address}`,
      },
      healthUrl: endpoint,
    });
    await sendInTurn(endpoint, instance, warmUps);
    const before = proxy.roundTrips();
    await sendInTurn(endpoint, instance, sends);
    report.figure({
      what: "round trips per send",
      value: (proxy.roundTrips() - before) / sends,
      unit: "",
      bar: { kind: "at most", value: 2 },
      note: `a proxy counted how often the function spoke to Postgres and waited, ${sends} sends`,
    });
  },
};

/** Uses the stack only for its admin-api. */
async function createInstance(
  database: Parameters<typeof startStackProcess>[0],
  providerBaseUrl: string,
): Promise<StackInstance> {
  await using stack = await startStackProcess(database);
  const [instance] = await stack.createInstances(1, providerBaseUrl);
  if (instance === undefined) throw new Error("no instance was made");
  return instance;
}

async function sendInTurn(
  endpoint: string,
  { instanceId, clientToken }: StackInstance,
  count: number,
): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    await post(endpoint, { "x-client-token": clientToken }, {
      instanceId,
      phone: String(5_521_990_000_000 + number),
      messageType: "text",
      message: messageText,
    });
  }
}
