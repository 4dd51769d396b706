import type { Bench, BenchContext } from "./bench.ts";
import { median, openMeter } from "./meter.ts";

const watched = 1_000_000;
const due = 100;
const look = `select public.tell_idle_conversations('{"maxConversations": 500}')`;

/** A look of the dispatcher at the conversations in which nobody writes, where none is due and where some are. */
export const idleConversationsBench: Bench = {
  name: "idle_conversations",
  title: `A look at ${watched.toLocaleString("en-US")} watched conversations`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    const { admin } = database;
    await admin`
      insert into messaging.idle_watches
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'us', now(), gen_random_uuid(),
        now() + make_interval(hours => 1, secs => n)
      from generate_series(1, ${watched}::integer) n`;
    await admin`vacuum analyze messaging.idle_watches`;
    const meter = await openMeter(database);
    const measure = async (): Promise<{ readonly ms: number; readonly pages: number }> => {
      const works = [];
      for (let call = -7; call < sizes.rounds; call += 1) {
        const work = await meter.measure(look);
        if (call >= 0) works.push(work);
      }
      return {
        ms: median(works.map(({ ms }) => ms)),
        pages: median(works.map(({ pages }) => pages)),
      };
    };
    const none = await measure();
    report.figure({
      what: "none is due",
      value: none.pages,
      unit: "pages",
      bar: { kind: "at most", value: 20 },
      note: `${none.ms.toFixed(2)} ms`,
    });
    await admin`
      update messaging.idle_watches set due_at = now()
      where contact_id = any (array(select contact_id from messaging.idle_watches limit ${due}))`;
    await admin`vacuum analyze messaging.idle_watches`;
    const some = await measure();
    report.figure({
      what: `${due} are due`,
      value: some.pages / due,
      unit: "pages each",
      bar: { kind: "at most", value: 40 },
      note: `${some.ms.toFixed(2)} ms`,
    });
  },
};
