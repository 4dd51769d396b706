-- Releases what rows that were taken out of the queue unsent had: the instance's last slot, and the
-- places in its days' counts (see release_day_quota). Any other slot stays unused, so that no other message
-- moves. `gone`: the rows as they were, without a claim. The caller holds the pacing rows.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.release_slots(gone messaging.message_queue[])
returns void language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
begin
  update messaging.pacing p
  set last_slot_at = greatest(
    (
      select q.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0)
      from messaging.message_queue q
      join messaging.messages m on m.id = any (array[q.message_id])
      where q.instance_id = p.instance_id and q.lane = 'paced'
        -- It waits for another month, or for the end of a lock, and nothing behind it. Where new contacts have
        -- their days, what waits for one has its slot there.
        and m.held_by is distinct from 'budget'
        and (m.held_by = 'new_contacts' and not p.is_protected) is not true
      order by q.scheduled_at desc, q.position desc
      limit 1
    ),
    (select d.paced_from from messaging.dispatch d where d.instance_id = p.instance_id)
  )
  from unnest(gone) as g
  join messaging.messages m on m.id = any (array[g.message_id])
  where g.lane = 'paced' and p.instance_id = any (array[g.instance_id])
    and p.last_slot_at = g.scheduled_at + interval '1 millisecond' * coalesce(m.delay_typing_ms, 0);
  perform messaging.release_day_quota(gone);
end;
$$;
