-- WhatsApp has refused messages because new chats are locked (`errors` at the same place as their instances): an
-- instance of which no lock is known has one from now on, for a day, as nothing tells its end, and
-- instance.limit_changed tells it. Locks dispatch; the caller holds pacing, or locks nothing of the instance
-- afterwards.
create or replace function messaging.note_chat_locks(
  instance_ids uuid[], errors jsonb[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  locked messaging.instances;
begin
  for locked in
    select i.* from messaging.instances i
    where i.id in (
      select refused.instance_id
      from unnest(instance_ids, errors) as refused(instance_id, error)
      where refused.error->>'meaning' = 'new_chat_locked'
    )
    order by i.id
  loop
    perform from messaging.dispatch d
    where d.instance_id = locked.id and d.new_chats_locked_until <= clock
    for no key update;
    continue when not found;
    perform messaging.keep_allowance(locked, jsonb_build_object('timeLock', jsonb_build_object(
      'isActive', true,
      'until', messaging.iso_in_zone(clock + interval '1 day', 'UTC'),
      'kind', null
    )));
    perform messaging.tell_limit_change(locked, 'NEW_CHAT_LOCKED', '{}');
  end loop;
end;
$$;
