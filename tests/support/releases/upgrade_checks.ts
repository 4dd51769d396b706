/** What must be true of a service after an upgrade. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../assert.ts";
import type { DoubleRequest } from "../doubles/http_double.ts";
import { checkPace } from "../fixtures/backlog.ts";
import { doubtfulText, idOf, type LiveData } from "./live_service.ts";
import type { SteadySender } from "./steady_sender.ts";
import { addedColumn } from "./successor.ts";

/** The successor's migrations have reached every message. */
export async function checkAddedColumn(admin: Sql): Promise<void> {
  const rows = await admin<{ added: number }[]>`
    select ${admin(addedColumn)} as added from messaging.messages where direction = 'outbound'`;
  assert(rows.every(({ added }) => added === 7), "every row has the new column");
}

/** Every message was received once, as its state says, and the queue's came in order and pace. */
export async function checkMessages(
  admin: Sql,
  data: LiveData,
  { received, calls }: {
    readonly received: readonly DoubleRequest[];
    readonly calls: SteadySender["calls"];
  },
): Promise<Record<string, number>> {
  assertEquals(calls.filter(({ answer }) => answer.status !== 200), [], "every call was accepted");
  const rows = await admin<{ id: string; message: string; status: string }[]>`
    select id, message, status from messaging.messages where direction = 'outbound'`;
  const ids = new Set(rows.map(({ id }) => id));
  const accepted = [...data.calls, ...calls.map(({ answer }) => ({ answer: answer.body }))]
    .map(({ answer }) => idOf(answer))
    .filter((id) => id !== undefined);
  assertEquals(accepted.filter((id) => !ids.has(id)), [], "no message is lost");
  const times = Map.groupBy(received, ({ path, json }) => `${path} ${json["message"]}`);
  assertEquals(
    [...times].filter(([, all]) => all.length > 1).map(([message]) => message),
    [],
    "no message arrived twice",
  );
  assertEquals(times.size, rows.length, "each message arrived");
  const byStatus = Map.groupBy(rows, ({ status }) => status);
  assertEquals([...byStatus.keys()].sort(), ["sent", "unconfirmed"]);
  assertEquals(
    byStatus.get("unconfirmed")?.map(({ message }) => message),
    data.instances.map(() => doubtfulText),
  );
  const queued = received.filter(({ json }) => /^\d+$/.test(String(json["message"])));
  const smallestGapMs = checkPace(
    { tenants: [], options: { ...data, instances: 0, messages: 0, baseUrl: "" } },
    queued,
  );
  return { messages: rows.length, queued: queued.length, steadyCalls: calls.length, smallestGapMs };
}
