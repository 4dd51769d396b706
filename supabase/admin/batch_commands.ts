import type { Command } from "commander";
import * as z from "zod";
import { recipientStatuses } from "../../shared/model/batch_states.ts";
import { toVisibleJson, toVisibleLine } from "../../shared/model/visible_text.ts";
import { AdminApiError, unexpectedResponse } from "./admin_api.ts";

/** What the commands need of the program. */
export interface BatchCommandContext {
  /** Reads a batch with the instance's client token. @throws {AdminApiError} */
  readonly readBatch: (batchId: string) => Promise<unknown>;
  readonly print: (text: string) => void;
  /** Writes a line over the one before it. */
  readonly redraw: (line: string) => void;
  readonly wantsJson: () => boolean;
  /** Whether lines may be drawn over each other. */
  readonly isTerminal: boolean;
  /** Width of the terminal: a line that wraps could not be drawn over. */
  readonly columns: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

const batchSchema = z.object({
  name: z.string().nullable(),
  status: z.string(),
  pauseReason: z.string().nullable(),
  recipientCount: z.number(),
  counts: z.record(z.string(), z.number()),
  lastScheduledFor: z.string().nullable(),
});

type Batch = z.infer<typeof batchSchema>;

const barWidth = { most: 30, least: 10 };
const nameWidth = 24;
const pollMs = 1_000;

/** Adds `batches watch`: the progress of a batch until it has ended. */
export function addBatches(context: BatchCommandContext, program: Command): void {
  const command = program.command("batches").description("batches of an instance (docs/batches.md)")
    .addHelpText(
      "after",
      "\nExample:\n  CLIENT_TOKEN=mia_... deno task admin batches watch <batchId>",
    );
  command.command("watch <batchId>")
    .description("show a batch's progress until it has ended; CLIENT_TOKEN is its instance's token")
    .action((batchId: string) => watch(context, batchId));
}

async function watch(context: BatchCommandContext, batchId: string): Promise<void> {
  const { readBatch, print, redraw, wantsJson, isTerminal, columns, wait } = context;
  let former = "";
  while (true) {
    const answer = await readBatch(batchId);
    const { success, data: batch } = batchSchema.safeParse(answer);
    if (!success) throw new AdminApiError(unexpectedResponse);
    const line = wantsJson()
      ? toVisibleJson(answer)
      : describeProgress(batch, isTerminal ? columns() : undefined);
    if (isTerminal && !wantsJson()) redraw(line);
    else if (line !== former) print(`${line}\n`);
    former = line;
    if (batch.status === "finished" || batch.status === "canceled") break;
    await wait(pollMs);
  }
  if (isTerminal && !wantsJson()) print("\n");
}

/**
 * One line: the bar, how many are done, the counts that are not zero, and when the last one leaves. Where it
 * is longer than `columns` the bar becomes shorter, then the end is cut.
 */
export function describeProgress(
  { name, status, pauseReason, recipientCount, counts, lastScheduledFor }: Batch,
  columns = Infinity,
): string {
  const open = (counts["pending"] ?? 0) + (counts["queued"] ?? 0);
  const done = recipientCount - open;
  const share = recipientCount === 0 ? 1 : done / recipientCount;
  const counted = recipientStatuses.filter((of) => (counts[of] ?? 0) > 0).map((of) =>
    `${counts[of]} ${of}`
  );
  const state = pauseReason === null ? status : `${status} (${pauseReason})`;
  const end = open > 0 && lastScheduledFor !== null ? `until ${tellMinute(lastScheduledFor)}` : "";
  const draw = (width: number): string => {
    const filled = Math.floor(share * width);
    const bar = "█".repeat(filled) + "░".repeat(width - filled);
    return [
      ...[cut(name ?? "", nameWidth), bar, `${Math.floor(share * 100)} %`],
      ...[`${done}/${recipientCount}`, state, counted.join(", "), end],
    ].map(toVisibleLine).filter((part) => part !== "").join("  ");
  };
  const whole = draw(barWidth.most);
  // The last column stays free: some terminals wrap a line that fills it.
  const excess = Math.max([...whole].length - (columns - 1), 0);
  if (excess === 0) return whole;
  return cut(draw(Math.max(barWidth.most - excess, barWidth.least)), columns - 1);
}

/** "2026-11-23T10:01:30.000-03:00" as "2026-11-23 10:01": the instance's own time. */
function tellMinute(instant: string): string {
  return instant.slice(0, 16).replace("T", " ");
}

function cut(text: string, width: number): string {
  const letters = [...text];
  return letters.length <= width ? text : `${letters.slice(0, width - 1).join("")}…`;
}
