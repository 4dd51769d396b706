/** Dispatcher runs whose result does not depend on how quick the machine is. */

import type { Sql } from "postgres";
import type { DispatchReport, OnFirstPoll } from "../../../functions/dispatch-queue/dispatch.ts";

/** More than any test leads to. */
const maxRuns = 50;
/** On a busy machine a run may end before it has taken what is due: the next one takes it. */
const maxIdleRuns = 2;

/**
 * Runs the dispatcher until nothing is left of what is due within `withinMs` of its first poll, which gives
 * slots to what has waited for them, and of what that leads to at once: an answer's message, a transcript of a fetched file, an event's delivery. A quick machine does
 * it all in one run; on a busy one a run may end after its first poll.
 *
 * @param admin a client of the superuser.
 * @param run one run. It may be shorter than `withinMs`: the next begins when something is due.
 * @returns the sum of the runs' reports.
 */
export async function dispatchWhatIsDue(
  admin: Sql,
  run: (onFirstPoll?: OnFirstPoll) => Promise<DispatchReport>,
  withinMs: number,
): Promise<DispatchReport> {
  const [clock] = await admin<{ now: Date }[]>`select clock_timestamp() as now`;
  const startedAtMs = performance.now();
  let until = clock!.now;
  const sum = await run(() => {
    until = new Date(clock!.now.getTime() + performance.now() - startedAtMs + withinMs);
  });
  let idleRuns = isAtWork(sum) ? 0 : 1;
  for (let runs = 1; runs < maxRuns; runs++) {
    const dueInMs = await readNextDue(admin, until, idleRuns < maxIdleRuns);
    if (dueInMs === null) break;
    await new Promise((resolve) => setTimeout(resolve, Math.max(dueInMs, 0)));
    const report = await run();
    idleRuns = isAtWork(report) ? 0 : idleRuns + 1;
    for (const [name, count] of entriesOf(report)) sum[name] += count;
  }
  return sum;
}

function entriesOf(report: DispatchReport): [keyof DispatchReport, number][] {
  return Object.entries(report) as [keyof DispatchReport, number][];
}

function isAtWork(report: DispatchReport): boolean {
  return entriesOf(report).some(([name, count]) => name !== "purged" && count > 0);
}

/**
 * When the next work is due, in milliseconds from now; null if not before `until`. What becomes due later,
 * a retry for example, is not for this run, however long it took. What is due as soon as it exists is.
 *
 * @param isMoving false after runs that did nothing. What they left though it is due, for example because
 * a test holds its lock, the next would leave too.
 */
async function readNextDue(admin: Sql, until: Date, isMoving: boolean): Promise<number | null> {
  const [row] = await admin<{ dueInMs: number | null }[]>`
    select extract(epoch from min(due_at) - clock_timestamp())::float8 * 1000 as "dueInMs"
    from (
      select case q.lane when 'paced' then greatest(q.scheduled_at, d.next_due_at)
        else q.visible_at end as due_at,
        case q.lane when 'paced' then greatest(m.created_at, d.paced_from)
        else m.created_at end as ready_at
      from messaging.message_queue q
      join messaging.messages m on m.id = q.message_id
      join messaging.dispatch d on d.instance_id = q.instance_id
      where q.claim_token is null and (q.lane = 'unpaced' or d.in_flight is null)
      union all
      select o.run_at, case when o.attempts = 0 then o.created_at end
      from messaging.outbox o
      where o.settled_at is null
      union all
      select x.next_attempt_at, case when x.tries = 0 then x.created_at end
      from messaging.event_deliveries x
      join messaging.event_endpoints e on e.id = x.endpoint_id
      where e.is_active and x.next_attempt_at is not null
      union all
      select to_timestamp(0), null
      from messaging.event_endpoints e
      where e.is_active and exists (
        select from messaging.events v
        where v.instance_id = e.instance_id and v.sequence > e.told_through
      )
      union all
      select to_timestamp(0), null
      from messaging.event_replays r
      join messaging.event_endpoints e on e.id = r.endpoint_id
      where e.is_active
    ) as waiting
    where (${isMoving} or due_at > clock_timestamp())
      and (
        due_at <= ${until}
        or (due_at <= clock_timestamp() and due_at <= ready_at + interval '100 ms')
      )`;
  return row?.dueInMs ?? null;
}
