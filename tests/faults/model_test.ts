import fc from "fast-check";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { modelCommands, settleAndCompare } from "../support/model/model_sequences.ts";
import { ContractModel } from "../support/model/contract_model.ts";
import { ModelRun } from "../support/model/model_run.ts";
import { startWorld } from "../support/model/service_world.ts";
import { createSeededRandom } from "../support/seeded_random.ts";

const settings = readFaultSettings();
const limitMs = settings.minutes === undefined ? 15_000 : settings.minutes * 60_000;
const { seed } = createSeededRandom(settings.seed);

Deno.test(`no sequence of commands makes the service break its contract, from seed ${seed}`, async () => {
  await using world = await startWorld();
  const counts = { sequences: 0, commands: 0, questions: 0, reminders: 0 };
  const ends: Record<string, number> = {};
  const property = fc.asyncProperty(
    modelCommands({ maxCommands: 40, size: "+1" }),
    async (commands) => {
      const model = new ContractModel();
      const run = new ModelRun(world, await world.createTenant());
      try {
        await fc.asyncModelRun(() => ({ model, real: run }), commands);
        await settleAndCompare(model, run);
      } finally {
        await run.abandon();
      }
      counts.sequences += 1;
      counts.commands += [...commands].length;
      for (const { possible, words } of model.questions.all) {
        counts.questions += 1;
        if (words.some(({ kind, hasLeft }) => kind === "reminder" && hasLeft)) {
          counts.reminders += 1;
        }
        const [end = ""] = possible;
        const name = end.replace(/^answered:.*/, "answered").replace("canceled:", "");
        ends[name] = (ends[name] ?? 0) + 1;
      }
    },
  );
  const startedAt = performance.now();
  // Each sequence has a seed of its own, with which it is the first of a run.
  for (let place = 0; place === 0 || performance.now() - startedAt < limitMs; place++) {
    await fc.assert(property, {
      ...{ seed: seed + place, numRuns: 1 },
      // Ends the shrinking of a failure, whose shortest sequence so far is told.
      skipAllAfterTimeLimit: 300_000,
    });
  }
  printFigures("model", { seed, ...counts, ...ends, calls: world.providerCalls.length });
});
