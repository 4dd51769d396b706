import { settlingActions } from "../../shared/model/queue_record.ts";
import { type Command, Option } from "commander";
import * as z from "zod";
import { toVisibleJson } from "../../shared/model/visible_text.ts";
import { type AdminAnswer, type AdminApi, AdminApiError, unexpectedResponse } from "./admin_api.ts";
import { formatRecord, formatTable } from "./table.ts";

type Options = Readonly<Record<string, unknown>>;

/** What the commands need of the program. */
export interface QueueCommandContext {
  readonly api: AdminApi;
  readonly print: (text: string) => void;
  readonly wantsJson: () => boolean;
  /** Reads every page of a collection. */
  readonly listAll: (path: string) => Promise<AdminAnswer[]>;
}

const holdColumns = [
  ...["instanceId", "name", "heldAt", "heldUntil", "waiting", "inFlight", "reason"],
];
const stoppedColumns = [
  ...["instanceId", "name", "heldBy", "heldUntil", "queueDepth", "holdReason", "holdCode"],
];
const instanceColumns = [
  ...["instanceId", "name", "waiting", "inFlight", "unconfirmed", "emails", "agentReplies"],
];

/** Adds `queue`: to hold and release queues, and to settle what may have left before a restore. */
export function addQueue(context: QueueCommandContext, program: Command): void {
  const command = program.command("queue")
    .description("holds of the queue, and what may have left before a restore (docs/backup.md)")
    .addHelpText(
      "after",
      '\nExample:\n  deno task admin queue hold --all --reason "restored from the backup of 12:00"',
    );
  addHolds(context, command);
  addMayHaveLeft(context, command);
}

function addHolds({ api, print, wantsJson, listAll }: QueueCommandContext, queue: Command): void {
  const show = (answer: AdminAnswer): void =>
    print(`${wantsJson() ? toVisibleJson(answer, 2) : formatRecord(answer)}\n`);

  withTarget(queue.command("hold"))
    .description("let nothing leave by the dispatcher until the queue is released")
    .option("--until <instant>", "end of the hold, ISO 8601 with offset; default: until released")
    .option("--reason <text>", "note for the people who find the hold")
    .action(async ({ until, reason, ...target }: Options, command: Command) => {
      const body = { ...readTarget(command, target), until, reason };
      show(await api.call("POST", "queue/hold", body));
    });

  withTarget(queue.command("release"))
    .description("let the queue go on, at its pace and inside its window")
    .action(async (target: Options, command: Command) => {
      show(await api.call("POST", "queue/release", readTarget(command, target)));
    });

  queue.command("status").alias("holds")
    .description("list what operators hold, and what its provider or a lost connection stops")
    .action(async () => {
      const items = await listAll("queue/holds");
      const stopped = readAttention((await api.call("GET", "health"))["attention"])
        .filter(({ heldBy }) => heldBy === "instance_held" || heldBy === "disconnected");
      print(
        `${wantsJson() ? toVisibleJson({ items, stopped }, 2) : formatHolds(items, stopped)}\n`,
      );
    });
}

function formatHolds(items: readonly AdminAnswer[], stopped: readonly AdminAnswer[]): string {
  const held = formatTable(items, holdColumns);
  if (stopped.length === 0) return held;
  return `Held by an operator:\n${held}\n\nStopped by the provider, or disconnected:\n${
    formatTable(stopped, stoppedColumns)
  }`;
}

const attentionSchema = z.array(z.record(z.string(), z.unknown()));

/** The instances that need attention, as `admin-api/health` answers them. @throws {AdminApiError} */
export function readAttention(attention: unknown): readonly AdminAnswer[] {
  const { success, data } = attentionSchema.safeParse(attention);
  if (!success) throw new AdminApiError(unexpectedResponse);
  return data;
}

function addMayHaveLeft({ api, print, wantsJson }: QueueCommandContext, queue: Command): void {
  withRange(queue.command("may-have-left"))
    .description("after a restore: count what may have left since the dump; --json lists it")
    .option("--instance <id>", "only this instance")
    .action(async (options: Options) => {
      const report = await readReport(api, toRange(options), wantsJson());
      if (wantsJson()) print(`${toVisibleJson(report, 2)}\n`);
      else {
        const { since, until, total, acceptedSince, instances } = report;
        print(`${formatTable(instances, instanceColumns)}\n`);
        print(`${formatRecord({ since, until, total, acceptedSince })}\n`);
      }
    });

  withTarget(withRange(queue.command("settle")))
    .description("after a restore: settle in bulk what may-have-left lists")
    .addOption(
      new Option("--as <action>", "what becomes of it")
        .choices(settlingActions).makeOptionMandatory(),
    )
    .action(async ({ as, all, ...options }: Options, command: Command) => {
      readTarget(command, { ...options, all });
      const settled = await settleAll(api, { ...toRange(options), action: as });
      print(`${wantsJson() ? toVisibleJson(settled, 2) : formatRecord(settled)}\n`);
    });
}

function withTarget(command: Command): Command {
  return command.option("--instance <id>", "this instance").option("--all", "every instance");
}

function withRange(command: Command): Command {
  return command
    .requiredOption("--since <instant>", "when the dump had ended, ISO 8601 with offset")
    .option("--until <instant>", "when the dumped database stopped sending; default: now");
}

/** One instance, or all by name: an option that was forgotten must not mean all of them. */
function readTarget(command: Command, { instance, all }: Options): { instanceId?: unknown } {
  if ((instance === undefined) === (all !== true)) {
    command.error("error: give either --instance <id> or --all");
  }
  return all === true ? {} : { instanceId: instance };
}

function toRange({ since, until, instance }: Options): Record<string, unknown> {
  return { since, until, instanceId: instance };
}

const reportSchema = z.looseObject({
  since: z.string(),
  until: z.string(),
  total: z.int(),
  acceptedSince: z.int(),
  instances: z.array(z.record(z.string(), z.unknown())),
  items: z.array(z.unknown()),
  nextCursor: z.string().nullable(),
});

interface Report {
  readonly since: string;
  readonly until: string;
  readonly total: number;
  readonly acceptedSince: number;
  readonly instances: readonly Readonly<Record<string, unknown>>[];
  readonly items: readonly unknown[];
}

/** The first page has the counts. Further pages are read for the list of messages only. */
async function readReport(
  api: AdminApi,
  range: Readonly<Record<string, unknown>>,
  readsAll: boolean,
): Promise<Report> {
  const readPage = async (cursor: string | null): Promise<z.infer<typeof reportSchema>> => {
    const parameters = new URLSearchParams({ limit: readsAll ? "1000" : "1" });
    for (const [name, value] of Object.entries({ ...range, cursor })) {
      if (typeof value === "string") parameters.set(name, value);
    }
    const page = reportSchema.safeParse(
      await api.call("GET", `queue/may-have-left?${parameters}`),
    );
    if (!page.success) throw new AdminApiError(unexpectedResponse);
    return page.data;
  };
  const { nextCursor, items: firstItems, since, until, total, acceptedSince, instances } =
    await readPage(null);
  const items = [...firstItems];
  for (let cursor = readsAll ? nextCursor : null; cursor !== null;) {
    const page = await readPage(cursor);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return { since, until, total, acceptedSince, instances, items };
}

const settledSchema = z.looseObject({
  unconfirmed: z.int(),
  canceled: z.int(),
  outboxRows: z.int(),
  remaining: z.int(),
});

/** Settles batch by batch. Ends early where what remains is still in a process's hands. */
async function settleAll(api: AdminApi, request: Options): Promise<AdminAnswer> {
  const total = { unconfirmed: 0, canceled: 0, outboxRows: 0 };
  // Each batch begins anew, so that all share one instant as the end of the range.
  const body = { ...request, until: request["until"] ?? new Date().toISOString() };
  while (true) {
    const answer = settledSchema.safeParse(
      await api.call("POST", "queue/may-have-left/settle", body),
    );
    if (!answer.success) throw new AdminApiError(unexpectedResponse);
    const { unconfirmed, canceled, outboxRows, remaining } = answer.data;
    total.unconfirmed += unconfirmed;
    total.canceled += canceled;
    total.outboxRows += outboxRows;
    if (remaining === 0 || unconfirmed + canceled + outboxRows === 0) {
      return { success: true, ...total, remaining };
    }
  }
}
