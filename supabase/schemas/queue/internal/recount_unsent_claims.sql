-- Claimed messages that go back into the paced queue unsent no longer count on the day of their claim,
-- but on that of their slot. The caller holds the pacing rows.
create or replace function messaging.recount_unsent_claims(message_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  back record;
begin
  for back in
    select q.message_id, q.instance_id, q.counted_on, q.is_new,
      (q.scheduled_at at time zone i.time_zone)::date as day
    from messaging.message_queue q
    join messaging.instances i on i.id = any (array[q.instance_id])
    where q.message_id = any (message_ids) and q.lane = 'paced' and q.claim_token is null
      and q.counted_on is not null
    order by q.message_id
  loop
    update messaging.message_queue q set counted_on = null where q.message_id = back.message_id;
    update messaging.paced_days d
    set sent = greatest(d.sent - 1, 0),
      sent_new = greatest(d.sent_new - coalesce(back.is_new, false)::integer, 0)
    where d.instance_id = back.instance_id and d.day = back.counted_on;
    insert into messaging.paced_days as d (instance_id, day, waiting, waiting_new)
    values (back.instance_id, back.day, 1, coalesce(back.is_new, false)::integer)
    on conflict on constraint paced_days_pkey do update
    set waiting = d.waiting + 1, waiting_new = d.waiting_new + excluded.waiting_new;
  end loop;
end;
$$;
