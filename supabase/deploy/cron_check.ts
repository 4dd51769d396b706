/**
 * `deno task cron:check`: schedules the dispatcher on the database at DATABASE_URL (the project's,
 * as its owner), or puts its schedule right, and says how it stands. Repeatable. Exits with 1 while
 * something is missing, or where the last run or the last answer was a failure. `--json` prints the
 * state as it is.
 */

import postgres from "postgres";

/** What `schedule_dispatcher` answers. */
export interface DispatcherSchedule {
  readonly missingExtensions: readonly string[];
  readonly missingSecrets: readonly string[];
  readonly job: {
    readonly schedule: string;
    readonly command: string;
    readonly isActive: boolean;
  } | null;
  readonly lastRuns: readonly {
    readonly status: string;
    readonly message: string | null;
    readonly startedAt: string | null;
  }[];
  readonly lastAnswers: readonly {
    readonly statusCode: number | null;
    readonly error: string | null;
    readonly at: string;
  }[];
}

/** The schedule in sentences, and whether all of them are good news. */
export function describeSchedule(
  schedule: DispatcherSchedule,
): { readonly lines: readonly string[]; readonly isWell: boolean } {
  const { missingExtensions, missingSecrets, job, lastRuns, lastAnswers } = schedule;
  const [run] = lastRuns;
  const [answer] = lastAnswers;
  const faults = [
    ...missingExtensions.map((name) =>
      `The extension ${name} is missing: enable it under Database, Extensions.`
    ),
    ...missingSecrets.map((name) =>
      `Vault has no secret named ${name}: select vault.create_secret('...', '${name}');`
    ),
    ...job?.isActive === false ? ["The job dispatch-queue is switched off."] : [],
    ...run?.status === "failed" ? [`The last run failed: ${run.message ?? "no message"}`] : [],
    ...answer !== undefined && answer.statusCode !== 200
      ? [`The last answer was ${answer.statusCode ?? "none"}${describeError(answer.error)}.`]
      : [],
  ];
  const news = [
    job === null
      ? "dispatch-queue is not scheduled."
      : `dispatch-queue is scheduled (${job.schedule}): ${job.command}`,
    run === undefined ? "It has not run yet." : `Last run: ${run.startedAt}, ${run.status}.`,
    ...answer === undefined ? [] : [`Last answer: ${answer.at}, ${answer.statusCode ?? "none"}.`],
  ];
  return { lines: [...news, ...faults], isWell: job !== null && faults.length === 0 };
}

function describeError(error: string | null): string {
  return error === null ? "" : ` (${error})`;
}

/** Schedules the dispatcher, as often as one likes. @param databaseUrl of the database's owner. */
export async function scheduleDispatcher(databaseUrl: string): Promise<DispatcherSchedule> {
  const sql = postgres(databaseUrl, { max: 1, prepare: false, onnotice: () => {} });
  try {
    const [row] = await sql`select public.schedule_dispatcher() as schedule`;
    return row?.["schedule"];
  } finally {
    await sql.end();
  }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function main(args: readonly string[]): Promise<number> {
  const databaseUrl = Deno.env.get("DATABASE_URL");
  if (databaseUrl === undefined) {
    print("DATABASE_URL is missing: the connection string of the project's database.");
    return 2;
  }
  const schedule = await scheduleDispatcher(databaseUrl);
  const { lines, isWell } = describeSchedule(schedule);
  if (args.includes("--json")) print(JSON.stringify(schedule, null, 2));
  else lines.forEach(print);
  return isWell ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
