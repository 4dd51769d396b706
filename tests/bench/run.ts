/**
 * Measures the product and its peers: `deno task bench [name ...]`, see `--help`. Both sides of a ratio
 * are measured alternately on one Postgres with fsync: a throwaway one, or the server of DATABASE_URL,
 * where databases are created and dropped. Trust the ratios; absolute figures depend on the machine.
 * The exit code is not zero when a bar was missed or a bench failed.
 */

import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { readCommandLine } from "../../supabase/deploy/command_line.ts";
import type { Bench, BenchContext, BenchSizes } from "./bench.ts";
import { batchesBench } from "./batches_bench.ts";
import { openBenchServer } from "./bench_server.ts";
import { claimSettleBench } from "./claim_settle_bench.ts";
import { claimSizeBench } from "./claim_size_bench.ts";
import { coldStartBench } from "./cold_start_bench.ts";
import { contactSearchBench } from "./contact_search_bench.ts";
import { enqueueBench } from "./enqueue_bench.ts";
import { eventsBench } from "./events_bench.ts";
import { feedBench } from "./feed_bench.ts";
import { floodBench } from "./flood_bench.ts";
import { growthBench } from "./growth_bench.ts";
import { historyBench } from "./history_bench.ts";
import { hotInstanceBench } from "./hot_instance_bench.ts";
import { idleBench } from "./idle_bench.ts";
import { idleConversationsBench } from "./idle_conversations_bench.ts";
import { immediateSendBench } from "./immediate_send_bench.ts";
import { instructionsBench } from "./instructions_bench.ts";
import { inboundBench } from "./inbound_bench.ts";
import { latenessBench } from "./lateness_bench.ts";
import { mediaBench } from "./media_bench.ts";
import { memoryBench } from "./memory_bench.ts";
import { neighboursBench } from "./neighbours_bench.ts";
import { officialPaceBench } from "./official_pace_bench.ts";
import { queuedAcceptBench } from "./queued_accept_bench.ts";
import { releaseBench } from "./release_bench.ts";
import { Report } from "./report.ts";
import { roundTripsBench } from "./round_trips_bench.ts";
import { scheduledLatenessBench } from "./scheduled_lateness_bench.ts";
import { singleCallerBench } from "./single_caller_bench.ts";
import { serveBench } from "./serve_bench.ts";
import { soakBench } from "./soak_bench.ts";

const benches: readonly Bench[] = [
  enqueueBench,
  queuedAcceptBench,
  hotInstanceBench,
  claimSettleBench,
  claimSizeBench,
  historyBench,
  contactSearchBench,
  feedBench,
  growthBench,
  latenessBench,
  scheduledLatenessBench,
  batchesBench,
  officialPaceBench,
  eventsBench,
  idleBench,
  idleConversationsBench,
  immediateSendBench,
  singleCallerBench,
  inboundBench,
  mediaBench,
  floodBench,
  serveBench,
  neighboursBench,
  roundTripsBench,
  instructionsBench,
  coldStartBench,
  memoryBench,
  releaseBench,
  soakBench,
];

const sizes: Readonly<Record<keyof BenchSizes, readonly [size: number, what: string]>> = {
  rounds: [5, "how often each side of a comparison is measured"],
  seconds: [2, "how long one measurement of a rate lasts"],
  waiting: [1_000_000, "waiting messages of a full queue"],
  stored: [5_000_000, "stored messages of a full history"],
  contacts: [1_000_000, "contacts of the instance that contact_search searches"],
  events: [10_000_000, "events that feed reads among"],
  rate: [
    80,
    "messages a second of official_pace's number; above 80 one at 80 is measured beside it, for ten times --seconds",
  ],
  recipients: [100_000, "recipients of the batch that batches measures"],
  foreign: [500, "foreign rows of growth's smaller side; the larger has 100 times as many"],
  merged: [30_000, "messages of each of the two contacts that neighbours merges"],
  erased: [100_000, "messages of the person that neighbours erases"],
  drained: [60_000, "messages claimed and settled in one measurement"],
  sends: [10_000, "messages of each half of the memory measurement"],
  starts: [9, "starts of each program in the measurement of cold starts"],
  minutes: [15, "how long each case of soak lasts, in whole minutes"],
  share: [1, "share of soak's calls a second"],
};

Deno.exit(await main());

async function main(): Promise<number> {
  const command = describeCommand();
  const options = readCommandLine(command, Deno.args);
  if (typeof options === "number") return options;
  const sizes = options as unknown as BenchSizes;
  const { part: parts = [] } = options as { readonly part?: readonly string[] };
  const includes = (name: string): boolean =>
    parts.length === 0 || parts.some((part) => name.includes(part));
  const names = command.args;
  const chosen = benches.filter(({ name, isOnlyByName = false }) =>
    names.length === 0 ? !isOnlyByName : names.includes(name)
  );
  const report = new Report(print);
  await using server = await openBenchServer(Deno.env.get("DATABASE_URL"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      server[Symbol.asyncDispose]().then(() => Deno.exit(130), () => Deno.exit(1));
    });
  }
  print(`${server.description}; Deno ${Deno.version.deno}; ${navigator.hardwareConcurrency} cores`);
  print(`median (min–max) of ${sizes.rounds} rounds, the sides in turn`);
  const failures = await runBenches(chosen, { server, sizes, includes, report });
  const allMet = report.close();
  for (const name of failures) print(`   failed: ${name}`);
  return allMet && failures.length === 0 ? 0 : 1;
}

async function runBenches(chosen: readonly Bench[], context: BenchContext): Promise<string[]> {
  const failures: string[] = [];
  for (const bench of chosen) {
    context.report.title(`${bench.name}: ${bench.title}`);
    const startedAt = performance.now();
    try {
      await bench.run(context);
    } catch (error) {
      failures.push(bench.name);
      context.report.note(`failed: ${Deno.inspect(error)}`);
    }
    context.report.note(`(${Math.round((performance.now() - startedAt) / 1_000)} s)`);
  }
  return failures;
}

function describeCommand(): Command {
  const command = new Command("deno task bench")
    .description(
      "Measures the product beside its peers. Without a name it runs every bench but soak.",
    )
    .addArgument(
      new Argument("[names...]", "benches to run").choices(benches.map(({ name }) => name)),
    );
  for (const [name, [size, what]] of Object.entries(sizes)) {
    const option = new Option(`--${name} <number>`, what).default(size).argParser(readSize);
    command.addOption(option);
  }
  command.option(
    "--part <text...>",
    "only the scenes of neighbours and the cases of soak whose name has one of these texts",
  );
  const titles = benches.map(({ name, title }) => `  ${name.padEnd(18)}${title}`);
  return command.addHelpText("after", `\nBenches:\n${titles.join("\n")}`);
}

function readSize(value: string): number {
  const size = Number(value);
  if (!(size > 0)) throw new InvalidArgumentError("It must be a number above 0.");
  return size;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
