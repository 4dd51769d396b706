import { makeWorkerUtils } from "graphile-worker";
import { PgBoss } from "pg-boss";
import type { BenchDatabase } from "./bench_server.ts";

/** Name of the peers' queue or task. */
const queueName = "messages";
/** pg-boss's queue that has at most one job per key in flight, in the order of the key's jobs. */
const orderedQueueName = "ordered_messages";

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
  await boss.createQueue(orderedQueueName, { policy: "key_strict_fifo" });
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
  await insertJobs(boss, queueName, Array.from({ length: count }, () => ({ data: payload })));
}

/** Fetches and completes one batch. @returns the number of jobs. */
export async function workOffPgBoss(boss: PgBoss, batchSize: number): Promise<number> {
  const jobs = await boss.fetch<JobPayload>(queueName, { batchSize });
  if (jobs.length === 0) return 0;
  await boss.complete(queueName, jobs.map((job) => job.id));
  return jobs.length;
}

/** A message of pg-boss's user: what a webhook finds by its id, and a history shows by its phone. */
const userSchema = `
create schema peer_user;
create table peer_user.messages (
  id uuid primary key,
  sender integer not null,
  phone text not null,
  message text not null,
  status text not null default 'queued',
  provider_message_id text,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
create index on peer_user.messages (sender, provider_message_id)
where provider_message_id is not null;
create index on peer_user.messages (phone, sent_at desc);
grant usage on schema peer_user to service_role;
grant select, update on peer_user.messages to service_role;
`;

/** pg-boss with its user's own rows: what a company must build around it to know what was sent. */
export interface PgBossUser {
  /** Replaces all jobs and messages. They belong to the senders in turn. */
  fill(count: number, payload: JobPayload): Promise<void>;
  /** Fetches one batch, records the messages as sent, completes the jobs. @returns their number. */
  workOff(batchSize: number): Promise<number>;
}

/**
 * @param isOrdered one message per sender in flight, in order: the policy `key_strict_fifo`. It is the
 * only one of pg-boss that keeps a part of what a paced message is promised.
 */
export async function openPgBossUser(
  boss: PgBoss,
  database: BenchDatabase,
  { connections, senders, isOrdered }: {
    readonly connections: number;
    readonly senders: number;
    readonly isOrdered: boolean;
  },
): Promise<PgBossUser> {
  const { admin } = database;
  const sql = database.connect(connections);
  const queue = isOrdered ? orderedQueueName : queueName;
  await admin`select to_regnamespace('peer_user') as found`.then(([row]) =>
    row?.["found"] === null ? admin.unsafe(userSchema) : undefined
  );
  return {
    async fill(count, payload): Promise<void> {
      await boss.deleteAllJobs();
      await admin`truncate peer_user.messages`;
      const rows = await admin<{ id: string; sender: number }[]>`
        insert into peer_user.messages (id, sender, phone, message)
        select gen_random_uuid(), n % ${senders}::integer, (5521990000000 + n % 5000)::text,
          ${payload.message}
        from generate_series(0, ${count - 1}::integer) as n
        returning id, sender`;
      await insertJobs(
        boss,
        queue,
        rows.map(({ id, sender }) => ({
          data: { ...payload, messageId: id },
          ...(isOrdered ? { singletonKey: String(sender) } : {}),
        })),
      );
    },
    async workOff(batchSize): Promise<number> {
      const jobs = await boss.fetch<{ messageId: string }>(queue, { batchSize });
      if (jobs.length === 0) return 0;
      const ids = jobs.map((job) => job.data.messageId);
      await sql`
        update peer_user.messages
        set status = 'sent', provider_message_id = id::text, sent_at = clock_timestamp()
        where id = any (${ids}::uuid[])`;
      await boss.complete(queue, jobs.map((job) => job.id));
      return jobs.length;
    },
  };
}

async function insertJobs(
  boss: PgBoss,
  queue: string,
  jobs: readonly { readonly data: object; readonly singletonKey?: string }[],
): Promise<void> {
  const batch = 5_000;
  for (let done = 0; done < jobs.length; done += batch) {
    await boss.insert(queue, jobs.slice(done, done + batch));
  }
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
