import { acceptMessage, answerNever, startHttpDouble } from "../support/doubles/http_double.ts";
import { startSlotClock } from "../support/fixtures/slot_clock.ts";
import { createTenant } from "../support/fixtures/tenant.ts";
import { enqueueText } from "../support/database/queue_calls.ts";
import { startScheduledDispatcher } from "../support/stack/scheduled_dispatcher.ts";
import type { Bench, BenchContext } from "./bench.ts";
import { percentile } from "./statistics.ts";

/** The platform's schedule. */
const pace = { everySeconds: 20, runSeconds: 22 };
/**
 * Over two ends of runs, at the shortest interval that the API accepts. Few messages each: what leaves more
 * than 50 ms late moves all that follow it on its instance, because calls keep their interval.
 */
const paced = { instances: 200, messagesEach: 5, intervalSeconds: 10 };
const warmUp = { instances: 20, messagesEach: 2, intervalSeconds: 1 };
/** Paced messages of the tenant whose provider hangs. */
const hangingMessages = 100;

/**
 * Measures how late paced messages are where pg_cron and pg_net call the dispatcher: quiet, and while
 * another tenant's provider answers nothing.
 */
export const scheduledLatenessBench: Bench = {
  name: "scheduled_lateness",
  title:
    `From the slot to the provider call, by pg_cron and pg_net: ${paced.instances} instances ` +
    `with a message every ${paced.intervalSeconds} s, quiet and beside a provider that hangs`,
  async run(context: BenchContext): Promise<void> {
    await measure(context, "quiet", false);
    await measure(context, "beside a hanging provider", true);
  },
};

async function measure(
  { server, report }: BenchContext,
  scene: string,
  hangs: boolean,
): Promise<void> {
  await using database = await server.createDatabase();
  const { admin, url: databaseUrl } = database;
  await using other = startHttpDouble(hangs ? answerNever : acceptMessage);
  await using clock = startSlotClock();
  await using _dispatcher = await startScheduledDispatcher({
    ...{ databaseUrl, admin, usesDataApi: false, ...pace },
  });
  const { instanceId } = await createTenant(admin, { baseUrl: other.baseUrl });
  for (let number = 0; hangs && number < hangingMessages; number++) {
    await enqueueText(admin, instanceId, {
      ...{ intervalSeconds: paced.intervalSeconds, message: String(number) },
    });
  }
  await clock.awaitLateness(await clock.queue(admin, warmUp));
  const lateness = await clock.awaitLateness(await clock.queue(admin, paced));
  const note = `${lateness.length} messages`;
  report.figure({
    ...{ what: `p50, ${scene}`, value: percentile(lateness, 50), unit: "ms", note },
    bar: { kind: "at most", value: 60 },
  });
  report.figure({
    ...{ what: `p99, ${scene}`, value: percentile(lateness, 99), unit: "ms" },
    bar: { kind: "at most", value: 500 },
  });
  report.figure({ what: `maximum, ${scene}`, value: Math.max(...lateness), unit: "ms" });
}
