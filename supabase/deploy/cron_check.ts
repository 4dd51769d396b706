/**
 * `deno task cron:check`: creates or corrects the dispatcher's schedule on the database at DATABASE_URL
 * (the project's, as its owner) and reports its state. Idempotent. Exits with 1 while something is
 * missing or the last run or response failed, and with 2 without a valid connection string. `--json`
 * prints the state as JSON.
 */

import { Command } from "commander";
import { toVisibleJson } from "../../shared/model/visible_text.ts";
import { print, printError, readCommandLine } from "./command_line.ts";
import {
  type DispatcherSchedule,
  scheduleDispatcher,
  ScheduleError,
} from "./dispatcher_schedule.ts";

/** Describes the schedule in sentences. @returns `isHealthy`: whether no sentence reports a problem. */
export function describeSchedule(
  schedule: DispatcherSchedule,
): { readonly lines: readonly string[]; readonly isHealthy: boolean } {
  const { missingExtensions, job, lastRuns, lastAnswers, checkedAt } = schedule;
  const [run] = lastRuns;
  const [answer] = lastAnswers;
  const problems = [
    ...missingExtensions.map((name) =>
      `The extension ${name} is missing: enable it under Database, Extensions.`
    ),
    ...describeSecrets(schedule),
    ...job?.isActive === false ? ["The job dispatch-queue is disabled."] : [],
    ...run !== undefined && isStale(schedule, run.startedAt)
      ? [`No run since ${run.startedAt} (now: ${checkedAt}). Check that pg_cron works.`]
      : [],
    ...answer !== undefined && isStale(schedule, answer.calledAt)
      ? [
        `No call has been answered that began after ${answer.calledAt} (now: ${checkedAt}). Check that pg_net works.`,
      ]
      : [],
    ...run?.status === "failed" ? [`The last run failed: ${run.message ?? "no message"}`] : [],
    ...answer === undefined ? [] : describeFailure(answer),
  ];
  const state = [
    job === null
      ? "dispatch-queue is not scheduled."
      : `dispatch-queue is scheduled (${job.schedule}): ${job.command}`,
    run === undefined ? "It has not run yet." : `Last run: ${run.startedAt}, ${run.status}.`,
    ...answer === undefined
      ? []
      : [`Last call: began ${answer.calledAt}, answered ${answer.statusCode ?? "nothing"}.`],
  ];
  return { lines: [...state, ...problems], isHealthy: job !== null && problems.length === 0 };
}

/** A few missed runs are normal, for example while the platform restarts. */
const stalePeriods = 3;
const shortestStaleMs = 2 * 60_000;

/** Whether the next run or response is overdue. Without a time, the first one is in progress. */
function isStale({ job, checkedAt }: DispatcherSchedule, at: string | null): boolean {
  if (job === null || at === null) return false;
  const limitMs = Math.max(stalePeriods * readPeriodMs(job.schedule), shortestStaleMs);
  return Date.parse(checkedAt) - Date.parse(at) > limitMs;
}

/** The period in milliseconds. A schedule is either in seconds or once a minute. */
function readPeriodMs(schedule: string): number {
  const seconds = /^(\d+) seconds?$/.exec(schedule)?.[1];
  return seconds === undefined ? 60_000 : Number(seconds) * 1_000;
}

function describeSecrets({ missingSecrets, unreadableSecrets }: DispatcherSchedule): string[] {
  const create = (name: string): string => `select vault.create_secret('...', '${name}');`;
  return [
    ...missingSecrets.map((name) => `Vault has no secret named ${name}: ${create(name)}`),
    ...unreadableSecrets.map((name) =>
      `Vault cannot decrypt the secret named ${name}: another project's root key sealed it, as after a restore. Create it anew: delete from vault.secrets where name = '${name}'; ${
        create(name)
      }`
    ),
  ];
}

/** What to do about the statuses that dispatch-queue and the platform's gateway answer. */
const advice: Readonly<Record<number, string>> = {
  401:
    "The key in Vault (dispatcher_secret_key) is none of the project's: replace it with the key named cron.",
  404: "The address in Vault (project_url) has no function dispatch-queue: correct it, or deploy.",
  503: "The run's first poll of the database failed; the log of dispatch-queue says why.",
};

function describeFailure(
  { statusCode, error }: DispatcherSchedule["lastAnswers"][number],
): string[] {
  if (statusCode === 200) return [];
  const cause = error === null ? "" : ` (${error})`;
  const next = statusCode === null
    ? "The function did not answer in time: its log says why."
    : advice[statusCode] ?? "The log of dispatch-queue says why.";
  return [`The last call was answered ${statusCode ?? "nothing"}${cause}. ${next}`];
}

const command = new Command("deno task cron:check")
  .description(
    "Creates or corrects the dispatcher's schedule on the database at DATABASE_URL and reports its state. Exits with 1 while something is wrong.",
  )
  .option("--json", "print the state as JSON");

async function main(args: readonly string[]): Promise<number> {
  const options = readCommandLine(command, args);
  if (typeof options === "number") return options;
  const databaseUrl = Deno.env.get("DATABASE_URL");
  if (!databaseUrl) {
    printError(
      "DATABASE_URL is missing: set it to the connection string of the project's database.",
    );
    return 2;
  }
  try {
    const schedule = await scheduleDispatcher(databaseUrl);
    const { lines, isHealthy } = describeSchedule(schedule);
    if (options["json"] === true) print(toVisibleJson(schedule, 2));
    else lines.forEach(print);
    return isHealthy ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    printError(error.message);
    return error.isMisuse ? 2 : 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
