import type { Command } from "commander";
import * as z from "zod";
import { AdminApiError, unexpectedResponse } from "./admin_api.ts";

/** What the commands need of the program. */
export interface BatchCommandContext {
  /** Reads a batch with the instance's client token. @throws {AdminApiError} */
  readonly readBatch: (batchId: string) => Promise<unknown>;
  readonly print: (text: string) => void;
  readonly wantsJson: () => boolean;
  /** Whether lines may be drawn over each other. */
  readonly isTerminal: boolean;
  readonly wait: (ms: number) => Promise<void>;
}

const batchSchema = z.object({
  name: z.string().nullable(),
  status: z.string(),
  recipientCount: z.number(),
  counts: z.record(z.string(), z.number()),
  lastScheduledFor: z.string().nullable(),
});

type Batch = z.infer<typeof batchSchema>;

const barWidth = 30;
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
  const { readBatch, print, wantsJson, isTerminal, wait } = context;
  let former = "";
  while (true) {
    const answer = await readBatch(batchId);
    const { success, data: batch } = batchSchema.safeParse(answer);
    if (!success) throw new AdminApiError(unexpectedResponse);
    const line = wantsJson() ? JSON.stringify(answer) : describeProgress(batch);
    if (isTerminal && !wantsJson()) print(`\r\x1b[K${line}`);
    else if (line !== former) print(`${line}\n`);
    former = line;
    if (batch.status === "finished" || batch.status === "canceled") break;
    await wait(pollMs);
  }
  if (isTerminal && !wantsJson()) print("\n");
}

/** One line: the bar, how many are done, the counts that are not zero, and when the last one leaves. */
export function describeProgress(
  { name, status, recipientCount, counts, lastScheduledFor }: Batch,
): string {
  const open = (counts["pending"] ?? 0) + (counts["queued"] ?? 0);
  const done = recipientCount - open;
  const share = recipientCount === 0 ? 1 : done / recipientCount;
  const filled = Math.floor(share * barWidth);
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  const told = Object.entries(counts).filter(([, count]) => count > 0)
    .map(([of, count]) => `${count} ${of}`);
  const end = open > 0 && lastScheduledFor !== null ? `until ${lastScheduledFor}` : "";
  return [
    ...[name ?? "", bar, `${Math.floor(share * 100)} %`, `${done}/${recipientCount}`, status],
    ...[told.join(", "), end],
  ].filter((part) => part !== "").join("  ");
}
