/** Doubles of what calls the dispatcher on the platform: pg_cron, and the worker of pg_net. */

import postgres from "postgres";
import type { Sql } from "postgres";

/** A call that is waiting to be made, as `net.http_post` has recorded it. */
interface QueuedCall {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly timeoutMs: number;
}

interface CallAnswer {
  readonly status: number | null;
  readonly content: string | null;
  readonly error: string | null;
}

/** Calls at once, as pg_net's setting `batch_size` has it by default. */
const batchSize = 200;
/** Longest pause between two batches. */
const pauseMs = 1_000;

/** Stops it, and breaks off what is under way. */
export type RunningDouble = AsyncDisposable;

/**
 * Makes the calls of `netStandIn` as pg_net 0.20.0 does: takes a batch of requests, waits until every one
 * of them is answered, commits, and pauses. So calls of one schedule never overlap, and every call of the
 * project waits for the slowest of the batch. Its transaction stays open throughout, and all answers of a
 * batch have its begin as their time.
 *
 * @param url the database, as the superuser.
 */
export function startNetWorker(url: string): RunningDouble {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return startLoop(sql, async (stopped) => {
    await sql.begin(async (transaction) => {
      const calls = await transaction<QueuedCall[]>`
        delete from net.http_request_queue
        where id in (select q.id from net.http_request_queue q order by q.id limit ${batchSize})
        returning id, method, url, headers, convert_from(body, 'utf8') as body,
          timeout_milliseconds as "timeoutMs"`;
      await Promise.all(calls.map(async (call) => {
        const { status, content, error } = await makeCall(call, stopped);
        await transaction`
          insert into net._http_response (id, status_code, content, timed_out, error_msg)
          values (${call.id}, ${status}, ${content}, ${status === null}, ${error})`;
      }));
    });
    return pauseMs;
  });
}

async function makeCall(
  { method, url, headers, body, timeoutMs }: QueuedCall,
  stopped: AbortSignal,
): Promise<CallAnswer> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
  try {
    const response = await fetch(url, { method, headers, body, signal });
    return { status: response.status, content: await response.text(), error: null };
  } catch (error) {
    return { status: null, content: null, error: String(error) };
  }
}

/** How the schedule of `dispatch-queue` is sped up. */
export interface CronPace {
  /** The platform's is 20. */
  readonly everySeconds: number;
  /** How long each run lasts. The schedule's is 22. */
  readonly runSeconds: number;
}

/** Runs the dispatcher's job of `cron.schedule` as pg_cron does: at fixed times, whatever it takes. */
export function startCron(url: string, { everySeconds, runSeconds }: CronPace): RunningDouble {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  let dueAt = performance.now();
  return startLoop(sql, async () => {
    const [job] = await sql<{ command: string }[]>`
      select command from cron.job where jobname = 'dispatch-queue' and active`;
    if (job === undefined) throw new Error("dispatch-queue is not scheduled");
    await sql.unsafe(job.command.replace(/\(\d+\)/, `(${runSeconds})`));
    dueAt += everySeconds * 1_000;
    return dueAt - performance.now();
  });
}

/** Repeats a step until disposed. @param step resolves to the pause after it, in milliseconds. */
function startLoop(sql: Sql, step: (stopped: AbortSignal) => Promise<number>): RunningDouble {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) await pause(await step(signal), signal);
  };
  const running = run();
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await running.finally(() => sql.end());
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(ms, 0));
  signal.addEventListener("abort", () => resolve());
  if (!signal.aborted) await promise;
  clearTimeout(timer);
}
