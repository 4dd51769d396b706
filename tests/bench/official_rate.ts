import { waitUntil } from "../support/wait_until.ts";
import type { BenchContext } from "./bench.ts";
import { functionEnvironment } from "./function_environment.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { createInstance, post, type StackInstance, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";

/** As long as the official channel takes for a message, in milliseconds. */
const providerMs = 300;
const slowRate = 80;
/** Of the messages a second that were asked for: 400 of 500 on two cores. */
const reachedShare = 0.8;
const latenessBar = 1.5;
/** A message that is less late than this counts as so late: alone, a number keeps its grid to the millisecond. */
const leastLatenessMs = 20;
const recipientsPerCall = 1_000;
const [fastNumber, slowNumber] = ["104857600000001", "104857600000002"] as const;

/** A number at a rate above 80, and the lateness of another one at 80, alone and beside it. */
export async function measureRate({ server, report, sizes }: BenchContext): Promise<void> {
  const seconds = 10 * sizes.seconds;
  await using database = await server.createDatabase();
  await using double = await startOnPort("tests/bench/official_double.ts", {
    DELAY_MS: String(providerMs),
  });
  await using stack = await startStackProcess(database);
  const create = async (
    place: number,
    phoneNumberId: string,
    messagesPerSecond: number,
  ): Promise<StackInstance> => {
    const instance = await createInstance(stack.origin, place, double.origin, undefined, {
      provider: "whatsapp_cloud",
      providerConfig: {
        ...{ baseUrl: double.origin, phoneNumberId, accessToken: "bench-access-token" },
        appSecret: "bench-app-secret-0123456789abcdef",
        verifyToken: "bench-verify-token",
      },
    });
    const own = `${stack.origin}/functions/v1/admin-api/instances/${instance.instanceId}`;
    // The channel tells the level, without which the pace is refused.
    await administer(`${own}/connection`, "GET");
    await administer(own, "PATCH", { pace: { messagesPerSecond } });
    return instance;
  };
  const fast = await create(0, fastNumber, sizes.rate);
  const slow = await create(1, slowNumber, slowRate);
  const send = (instance: StackInstance, rate: number): Promise<() => Promise<void>> =>
    startBatch(stack.origin, instance, Math.ceil(rate * seconds));
  const arrivals = async (number: string): Promise<number[]> =>
    await (await fetch(`${double.origin}/arrivals?number=${number}`)).json();

  await (await send(slow, slowRate))();
  const quiet = await arrivals(slowNumber);
  const [awaitFast, awaitSlow] = [await send(fast, sizes.rate), await send(slow, slowRate)];
  await awaitSlow();
  await awaitFast();
  const beside = (await arrivals(slowNumber)).slice(quiet.length);
  const reached = rateOf(await arrivals(fastNumber));
  report.figure({
    what: `a number at ${sizes.rate} a second, by calls of ${providerMs} ms, beside one at 80`,
    value: reached,
    unit: "messages/s",
    bar: { kind: "at least", value: reachedShare * sizes.rate },
    note: `for ${seconds} s`,
  });
  const [alone = 0, with_ = 0] = [quiet, beside]
    .map((times) => percentile(latenessOf(times), 95));
  report.figure({
    what: "lateness of the number at 80, p95: beside it against alone",
    value: Math.max(with_, leastLatenessMs) / Math.max(alone, leastLatenessMs),
    unit: "",
    bar: { kind: "at most", value: latenessBar },
    note: `${Math.round(with_)} ms against ${Math.round(alone)} ms, at least ${leastLatenessMs}`,
  });
}

/** Starts a batch to as many people. @returns waits for its end. */
async function startBatch(
  origin: string,
  { clientToken }: StackInstance,
  people: number,
): Promise<() => Promise<void>> {
  const headers = { "x-client-token": clientToken };
  const all = `${origin}/functions/v1/batches-api/batches`;
  const { batchId } = await post<{ batchId: string }>(all, headers, {
    message: { messageType: "text", message: "Oi {{nome}}" },
    recipients: [],
  });
  for (let first = 0; first < people; first += recipientsPerCall) {
    const length = Math.min(recipientsPerCall, people - first);
    await post(`${all}/${batchId}/recipients`, headers, {
      recipients: Array.from({ length }, (_, number) => ({
        phone: String(5_521_990_000_000 + first + number),
        variables: { nome: `Pessoa ${first + number}` },
      })),
    });
  }
  await post(`${all}/${batchId}/start`, headers, {});
  return async () => {
    await waitUntil(async () => {
      const response = await fetch(`${all}/${batchId}`, { headers });
      return (await response.json()).status === "finished";
    }, { what: "the end of the batch", timeoutMs: 600_000, intervalMs: 250 });
  };
}

async function administer(url: string, method: string, body?: unknown): Promise<void> {
  const response = await fetch(url, {
    method,
    headers: {
      apikey: functionEnvironment["SUPABASE_SECRET_KEY"] ?? "",
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${answer}`);
}

/** Calls a second, from the first to the last. */
function rateOf(times: readonly number[]): number {
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  return times.length < 2 ? 0 : (times.length - 1) * 1_000 / (last - first);
}

/**
 * How much later each call came than at its place in the grid of the pace, in milliseconds; the first is on time.
 * Behind calls that were late one is due a second after as many as may leave in it: the pace does not let it come
 * sooner, and it would count what was late once for every second that follows.
 */
function latenessOf(times: readonly number[]): number[] {
  const [first = 0] = times;
  return times.map((at, place) => {
    const allowedAt = (times[place - slowRate] ?? -Infinity) + 1_000;
    return Math.max(at - Math.max(first + place * 1_000 / slowRate, allowedAt), 0);
  });
}
