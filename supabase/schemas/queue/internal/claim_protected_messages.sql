-- claim_paced_messages: claims those heads of instances with protection that a place of today is left
-- for, and counts them. A queue that was held over midnight must not burst, and immediate sends may have
-- taken places that were promised: where no place is left, the waiting messages get new slots (see
-- plan_slot_moves), which the dispatcher's maintenance does. The caller has locked dispatch and the queue
-- rows. Tries the pacing rows without waiting: an enqueue locks the two in the other order.
create or replace function messaging.claim_protected_messages(
  message_ids uuid[],
  lease interval,
  clock timestamptz
)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  head record;
  walk messaging.slot_walk;
  counts_as_new boolean;
  claimed_ids uuid[];
begin
  for head in
    select q.message_id, q.scheduled_at, q.is_new as takes_new, q.instance_id, m.contact_id, i as instance,
      interval '1 millisecond' * coalesce(m.delay_typing_ms, 0) as typing,
      (clock at time zone i.time_zone)::date as today
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    join messaging.instances i on i.id = any (array[q.instance_id])
    where q.message_id = any (message_ids)
    order by q.instance_id
  loop
    perform from messaging.pacing p
    where p.instance_id = head.instance_id for no key update skip locked;
    continue when not found;
    counts_as_new := coalesce(head.takes_new, false) and messaging.is_new_contact(head.contact_id);
    walk := messaging.begin_walk(head.instance, clock);
    select array[d.sent], array[d.sent_new] into walk.taken, walk.taken_new
    from messaging.paced_days d
    where d.instance_id = head.instance_id and d.day = head.today;
    if messaging.refused_place(walk, 1, counts_as_new) is not null then
      perform messaging.request_slot_plan(head.instance_id, clock);
      continue;
    end if;

    update messaging.paced_days d
    set waiting = greatest(d.waiting - 1, 0),
      waiting_new = greatest(d.waiting_new - coalesce(head.takes_new, false)::integer, 0)
    where d.instance_id = head.instance_id
      and d.day = (head.scheduled_at at time zone (head.instance).time_zone)::date;
    insert into messaging.paced_days as d (instance_id, day, sent, sent_new)
    values (head.instance_id, head.today, 1, counts_as_new::integer)
    on conflict on constraint paced_days_pkey do update
    set sent = d.sent + 1, sent_new = d.sent_new + excluded.sent_new;
    update messaging.message_queue q
    set claim_token = gen_random_uuid(),
      attempts = q.attempts + 1,
      lease_until = clock + lease + head.typing,
      counted_on = head.today,
      is_new = counts_as_new
    where q.message_id = head.message_id;
    -- See claim_paced_messages.
    update messaging.dispatch d
    set in_flight = head.message_id,
      lease_until = clock + lease + head.typing,
      paced_from = case
        when d.next_due_at > clock - interval '50 milliseconds' then d.next_due_at
        else clock
      end + head.typing,
      departs_at = clock + head.typing
    where d.instance_id = head.instance_id;
    claimed_ids := claimed_ids || head.message_id;
  end loop;
  return claimed_ids;
end;
$$;
