/**
 * Measures the product and its peers: `deno task bench [name ...] [--rounds 5] [--seconds 2]
 * [--waiting 1000000] [--stored 5000000] [--foreign 500] [--drained 60000] [--sends 10000] [--starts 9]`. Both sides
 * of a ratio are measured alternately on one Postgres with fsync: a throwaway one, or the server of
 * DATABASE_URL, where databases are created and dropped. Trust the ratios; absolute figures depend on the
 * machine. The exit code is not zero when a bar was missed or a bench failed.
 */

import { parseArgs } from "node:util";
import type { Bench, BenchContext, BenchSizes } from "./bench.ts";
import { openBenchServer } from "./bench_server.ts";
import { claimSettleBench } from "./claim_settle_bench.ts";
import { claimSizeBench } from "./claim_size_bench.ts";
import { coldStartBench } from "./cold_start_bench.ts";
import { enqueueBench } from "./enqueue_bench.ts";
import { floodBench } from "./flood_bench.ts";
import { growthBench } from "./growth_bench.ts";
import { historyBench } from "./history_bench.ts";
import { hotInstanceBench } from "./hot_instance_bench.ts";
import { immediateSendBench } from "./immediate_send_bench.ts";
import { instructionsBench } from "./instructions_bench.ts";
import { inboundBench } from "./inbound_bench.ts";
import { latenessBench } from "./lateness_bench.ts";
import { memoryBench } from "./memory_bench.ts";
import { queuedAcceptBench } from "./queued_accept_bench.ts";
import { Report } from "./report.ts";
import { roundTripsBench } from "./round_trips_bench.ts";

const benches: readonly Bench[] = [
  enqueueBench,
  queuedAcceptBench,
  hotInstanceBench,
  claimSettleBench,
  claimSizeBench,
  historyBench,
  growthBench,
  latenessBench,
  immediateSendBench,
  inboundBench,
  floodBench,
  roundTripsBench,
  instructionsBench,
  coldStartBench,
  memoryBench,
];

const defaultSizes: BenchSizes = {
  rounds: 5,
  seconds: 2,
  waiting: 1_000_000,
  stored: 5_000_000,
  foreign: 500,
  drained: 60_000,
  sends: 10_000,
  starts: 9,
};

Deno.exit(await main());

async function main(): Promise<number> {
  const { sizes, names } = readArguments(Deno.args);
  const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    print(
      `No such bench: ${unknown.join(", ")}. Benches: ${benches.map((b) => b.name).join(", ")}`,
    );
    return 2;
  }
  const chosen = benches.filter(({ name }) => names.length === 0 || names.includes(name));
  const report = new Report(print);
  await using server = await openBenchServer(Deno.env.get("DATABASE_URL"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      server[Symbol.asyncDispose]().then(() => Deno.exit(130), () => Deno.exit(1));
    });
  }
  print(`${server.description}; Deno ${Deno.version.deno}; ${navigator.hardwareConcurrency} cores`);
  print(`median (min–max) of ${sizes.rounds} rounds, the sides in turn`);
  const failures = await runBenches(chosen, { server, sizes, report });
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

function readArguments(args: readonly string[]): { sizes: BenchSizes; names: readonly string[] } {
  const options = Object.fromEntries(
    Object.keys(defaultSizes).map((name) => [name, { type: "string" as const }]),
  );
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const given = Object.entries(values).map(([name, value]) => {
    const number = Number(value);
    if (!(number > 0)) throw new Error(`--${name} must be a number above 0`);
    return [name, number] as const;
  });
  return { sizes: { ...defaultSizes, ...Object.fromEntries(given) }, names: positionals };
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
