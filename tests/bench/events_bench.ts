import type { Sql } from "postgres";
import { waitUntil } from "../support/wait_until.ts";
import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { startOnPort } from "./immediate_send_bench.ts";
import { measureRate } from "./load.ts";
import { readDatabaseCpuSeconds, readProcessCpuSeconds } from "./process_cpu.ts";
import { messageText, workOffProduct } from "./product_calls.ts";
import { type EventReceiver, serveEventReceiver } from "./event_receiver.ts";
import { alternate } from "./rounds.ts";
import { post, type StackInstance, type StackProcess, startStackProcess } from "./stack_process.ts";
import { percentile } from "./statistics.ts";
import { createTenants } from "./tenants.ts";
import { fillQueue } from "./waiting_messages.ts";

/** What waits for the dead endpoint. */
const waitingEvents = 10_000;
/** Immediate sends, one after the other, whose event is awaited. */
const sendsPerPhase = 100;
const sendPauseMs = 40;
const sentOnly = { types: ["message.sent"] };

/**
 * Measures webhooks in the running stack: how late an event arrives, also beside an endpoint that never
 * answers; how many deliveries a quick receiver gets; and what recording events costs a send.
 */
export const eventsBench: Bench = {
  name: "events",
  title: `Events: from the commit to the receiver, beside a dead endpoint with ${waitingEvents} ` +
    "events waiting, deliveries a second, the cost of recording",
  async run(context: BenchContext): Promise<void> {
    await measureLateness(context);
    await measureDeliveries(context);
    await measureRecording(context);
  },
};

async function measureLateness({ server, sizes, report }: BenchContext): Promise<void> {
  await using database = await server.createDatabase();
  await using double = await startOnPort("tests/bench/provider_double.ts", {});
  await using receiver = serveEventReceiver();
  await using silent = serveEventReceiver({ isSilent: true });
  await using stack = await startStackProcess(database);
  const [instance, neighbour] = await stack.createInstances(2, double.origin) as [
    StackInstance,
    StackInstance,
  ];
  await createEndpoint(stack, instance, { url: receiver.url, ...sentOnly });
  const dead = await createEndpoint(stack, neighbour, { url: silent.url });
  const lateness: Record<"quiet" | "beside", number[]> = { quiet: [], beside: [] };
  const sends: Record<"quiet" | "beside", number[]> = { quiet: [], beside: [] };
  const phase = async (name: "quiet" | "beside"): Promise<void> => {
    await setActive(stack, neighbour, dead, name === "beside");
    if (name === "beside") {
      await recordEvents(database.admin, neighbour.instanceId, waitingEvents);
      await waitUntil(() => silent.received() > 0, { what: "a call of the dead endpoint" });
    }
    const measured = await sendOneByOne(stack, instance, receiver, database.admin);
    lateness[name].push(...measured.latenessMs);
    sends[name].push(...measured.sendMs);
  };
  // Warm-up.
  await sendOneByOne(stack, instance, receiver, database.admin);
  for (let round = 0; round < sizes.rounds; round += 1) {
    await phase("quiet");
    await phase("beside");
  }
  const note = `${lateness.quiet.length} events`;
  report.figure({
    what: "commit to receiver, quiet, p50",
    value: percentile(lateness.quiet, 50),
    unit: "ms",
    bar: { kind: "under", value: 100 },
    note,
  });
  report.figure({
    what: "commit to receiver, quiet, p99",
    value: percentile(lateness.quiet, 99),
    unit: "ms",
    bar: { kind: "under", value: 1_000 },
    note,
  });
  for (
    const [what, of] of [["commit to receiver", lateness], ["an immediate send", sends]] as const
  ) {
    report.comparison({
      what: `${what}, p95, beside a dead endpoint : quiet`,
      over: [percentile(of.beside, 95)],
      under: [percentile(of.quiet, 95)],
      names: ["beside a dead endpoint", "quiet"],
      unit: "ms",
      bar: { kind: "at most", value: 1.5 },
    });
  }
}

/** Sends messages with a pause between them, and waits for the event of each. */
async function sendOneByOne(
  stack: StackProcess,
  instance: StackInstance,
  receiver: EventReceiver,
  admin: Sql,
): Promise<{ latenessMs: number[]; sendMs: number[] }> {
  receiver.clear();
  const sendMs: number[] = [];
  for (let place = 0; place < sendsPerPhase; place += 1) {
    const startedAt = performance.now();
    await stack.send(instance, bodyOf(place));
    sendMs.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, sendPauseMs));
  }
  await waitUntil(() => receiver.received() >= sendsPerPhase, { what: "the events" });
  const rows = await admin<{ id: string; recordedAtMs: number }[]>`
    select 'evt_' || replace(id::text, '-', '') as id,
      (extract(epoch from recorded_at) * 1000)::float8 as "recordedAtMs"
    from messaging.events where type = 'message.sent'`;
  const recordedAtMs = new Map(rows.map((row) => [row.id, row.recordedAtMs]));
  const latenessMs = [...receiver.arrivals].map(([id, arrivedAtMs]) =>
    arrivedAtMs - (recordedAtMs.get(id) ?? Number.NaN)
  );
  return { latenessMs, sendMs };
}

async function measureDeliveries({ server, sizes, report }: BenchContext): Promise<void> {
  await using database = await server.createDatabase();
  await using receiver = await startOnPort("tests/bench/event_receiver.ts", {});
  await using stack = await startStackProcess(database);
  const [instance] = await stack.createInstances(1, receiver.origin) as [StackInstance];
  await createEndpoint(stack, instance, { url: `${receiver.origin}/hook` });
  const target = 2_000;
  const rates: number[] = [];
  for (let round = 0; round <= sizes.rounds; round += 1) {
    await recordEvents(database.admin, instance.instanceId, target);
    const startedAt = performance.now();
    await waitUntil(() => isDelivered(database.admin), {
      intervalMs: 100,
      what: "the deliveries",
    });
    // The first one is a warm-up.
    if (round > 0) rates.push(target / ((performance.now() - startedAt) / 1_000));
  }
  report.figure({
    what: "deliveries to a receiver that answers at once, one endpoint",
    value: percentile(rates, 50),
    unit: "a second",
    bar: { kind: "at least", value: 500 },
    note: `${target} events, the receiver on the same cores`,
  });
}

async function isDelivered(admin: Sql): Promise<boolean> {
  const [row] = await admin<{ isOver: boolean }[]>`
    select not exists (select from messaging.event_deliveries where status = 'pending')
      and not exists (
        select from messaging.event_endpoints e
        join messaging.events v on v.instance_id = e.instance_id and v.sequence > e.told_through
      ) as "isOver"`;
  return row?.isOver ?? false;
}

/**
 * Sends in the stack, and paced messages that a dispatcher takes and settles, beside the same on a
 * database where nothing follows from a message's change, neither events nor sums. Compares processor time, which other programs disturb
 * little.
 */
async function measureRecording({ server, sizes, report }: BenchContext): Promise<void> {
  await using recording = await server.createDatabase();
  await using quiet = await server.createDatabase();
  await quiet.admin.unsafe(recordNothing);
  await using double = await startOnPort("tests/bench/provider_double.ts", {});
  const bar = { kind: "at most", value: 1.08 } as const;
  const names = ["events recorded", "nothing follows"] as const;
  const batches = await alternate(sizes.rounds, {
    recording: await openDrain(recording, sizes.drained),
    quiet: await openDrain(quiet, sizes.drained),
  });
  report.comparison({
    what: "Postgres' time to take and settle a paced message : nothing recorded",
    over: batches.recording,
    under: batches.quiet,
    names,
    unit: "ms",
    bar,
  });
  await using stack = await startStackProcess(recording);
  await using quietStack = await startStackProcess(quiet);
  const sends = await alternate(sizes.rounds, {
    recording: await openSends(recording, stack, double.origin, sizes.seconds),
    quiet: await openSends(quiet, quietStack, double.origin, sizes.seconds),
  });
  report.comparison({
    what: "processor time of an immediate send : nothing recorded",
    over: sends.recording,
    under: sends.quiet,
    names,
    unit: "ms",
    bar,
  });
}

const recordNothing = "alter table messaging.messages disable trigger messages_record_change";

const batchSize = 100;

/** @returns measures the processor time of one paced message, in milliseconds. */
async function openDrain(
  database: BenchDatabase,
  drained: number,
): Promise<() => Promise<number>> {
  await createTenants(database.admin, { instances: 1_000, contactsEach: 5 });
  const sql = database.connect(1);
  const target = Math.min(drained, 10_000);
  return async () => {
    await database.admin`truncate messaging.events`;
    await fillQueue(database.admin, target, "due");
    const before = await readDatabaseCpuSeconds(database.admin);
    let done = 0;
    for (let count = -1; count !== 0; done += count) count = await workOffProduct(sql, batchSize);
    return (await readDatabaseCpuSeconds(database.admin) - before) * 1_000 / done;
  };
}

/** @returns measures the processor time of one send, of the stack and its database, in milliseconds. */
async function openSends(
  database: BenchDatabase,
  stack: StackProcess,
  providerUrl: string,
  seconds: number,
): Promise<() => Promise<number>> {
  const instances = await stack.createInstances(20, providerUrl);
  const readSeconds = async (): Promise<number> =>
    await readProcessCpuSeconds(stack.pid) + await readDatabaseCpuSeconds(database.admin);
  return async () => {
    const before = await readSeconds();
    let sent = 0;
    await measureRate({
      callers: 16,
      seconds,
      call: (sequence) => {
        sent += 1;
        return stack.send(
          instances[sequence % instances.length] as StackInstance,
          bodyOf(sequence),
        );
      },
    });
    return (await readSeconds() - before) * 1_000 / sent;
  };
}

interface Endpoint {
  readonly endpointId: string;
}

const eventsApi = "functions/v1/events-api";

async function createEndpoint(
  stack: StackProcess,
  { clientToken }: StackInstance,
  body: Readonly<Record<string, unknown>>,
): Promise<Endpoint> {
  return await post(`${stack.origin}/${eventsApi}/endpoints`, {
    "x-client-token": clientToken,
  }, body);
}

/** What waits for an endpoint that becomes inactive is over. */
async function setActive(
  stack: StackProcess,
  { clientToken }: StackInstance,
  { endpointId }: Endpoint,
  isActive: boolean,
): Promise<void> {
  const response = await fetch(`${stack.origin}/${eventsApi}/endpoints/${endpointId}`, {
    method: "PATCH",
    headers: { "x-client-token": clientToken, "content-type": "application/json" },
    body: JSON.stringify({ isActive }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
}

async function recordEvents(admin: Sql, instanceId: string, count: number): Promise<void> {
  await admin`
    select messaging.record_event(${instanceId}::uuid, null, 'agent.paused',
      jsonb_build_object('contactId', gen_random_uuid(), 'place', n))
    from generate_series(1, ${count}::integer) as n`;
}

function bodyOf(sequence: number): Record<string, unknown> {
  return {
    phone: String(5_521_990_000_000 + sequence % 1_000),
    messageType: "text",
    message: messageText,
  };
}
