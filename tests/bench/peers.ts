import { makeWorkerUtils } from "graphile-worker";
import { PgBoss } from "pg-boss";
import type { BenchDatabase } from "./bench_server.ts";

/** Name of the peers' queue or task. */
const queueName = "messages";

/** Payload of a job, similar to the product's message row of a short text. */
export interface JobPayload {
  readonly phone: string;
  readonly messageType: "text";
  readonly message: string;
}

/** Starts pg-boss with a pool of `connections`, without maintenance, which would disturb the measurement. */
export async function openPgBoss(database: BenchDatabase, connections: number): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: database.url,
    max: connections,
    supervise: false,
    schedule: false,
  });
  boss.on("error", () => {});
  await boss.start();
  await boss.createQueue(queueName);
  database.closeFirst(() => boss.stop({ graceful: false }));
  return boss;
}

/** Enqueues one pg-boss job. */
export function sendToPgBoss(boss: PgBoss, payload: JobPayload): Promise<string | null> {
  return boss.send(queueName, payload);
}

/** Enqueues many pg-boss jobs that are due immediately. */
export async function fillPgBoss(
  boss: PgBoss,
  count: number,
  payload: JobPayload,
): Promise<void> {
  const batch = 5_000;
  for (let done = 0; done < count; done += batch) {
    const length = Math.min(batch, count - done);
    await boss.insert(queueName, Array.from({ length }, () => ({ data: payload })));
  }
}

/** Fetches and completes one batch. @returns the number of jobs. */
export async function workOffPgBoss(boss: PgBoss, batchSize: number): Promise<number> {
  const jobs = await boss.fetch<JobPayload>(queueName, { batchSize });
  if (jobs.length === 0) return 0;
  await boss.complete(queueName, jobs.map((job) => job.id));
  return jobs.length;
}

/** `addJob` of graphile-worker over a pool of `connections`. */
export async function openGraphileWorker(
  database: BenchDatabase,
  connections: number,
): Promise<(payload: JobPayload) => Promise<unknown>> {
  const utils = await makeWorkerUtils({
    connectionString: database.url,
    maxPoolSize: connections,
  });
  await utils.migrate();
  database.closeFirst(async () => await utils.release());
  return (payload) => utils.addJob(queueName, payload);
}
