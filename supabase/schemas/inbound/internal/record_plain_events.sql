-- Records those of `calls` (requests of record_provider_events) that have one plain event: an inbound
-- message, or a delivery event of an accepted message. The effect is that of record_provider_events, in
-- few statements for all of them.
-- Returns for each call how many events changed something, in order; NULL for a call that is left
-- untouched.
-- Plans must not depend on statistics. The steps inherit the settings below.
create or replace function messaging.record_plain_events(calls jsonb)
returns integer[] language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  messages messaging.plain_event[];
  statuses messaging.plain_event[];
  changed integer[] := '{}';
  unchanged integer[] := '{}';
  recorded integer[] := array_fill(null::integer, array[jsonb_array_length(calls)]);
  sender record;
  told record;
  place integer;
begin
  select r.messages, r.statuses into messages, statuses from messaging.read_plain_events(calls) r;
  -- First of all: what is told again costs little, however often.
  if messages is not null and exists (
    select from unnest(messages) as e
    cross join lateral messaging.stored_message(e.instance_id, e.provider_message_id)
  ) then
    unchanged := messaging.keep_retold_messages(messages);
    messages := array(select e from unnest(messages) as e where e.place <> all (unchanged));
  end if;
  perform messaging.lock_plain_events(messages || statuses);
  if cardinality(messages) > 0 then
    changed := messaging.record_inbound_messages(messages);
    if cardinality(changed) < cardinality(messages) then
      for sender in
        select e as event, e.place from messaging.new_messages(messages) as e
        where e.place <> all (changed) and (
          select true from messaging.address_owners(e.instance_id, e.identity_keys) limit 1
        ) is null
        order by e.place
      loop
        perform messaging.add_inbound_message(sender.event, calls->(sender.place - 1)->'events'->0);
        changed := changed || sender.place;
      end loop;
    end if;
  end if;
  if statuses is not null then
    select s.changed, s.unchanged into told from messaging.record_plain_statuses(statuses) s;
    changed := changed || told.changed;
    unchanged := unchanged || told.unchanged;
  end if;
  perform messaging.touch_noted_contacts();
  foreach place in array changed loop
    recorded[place] := 1;
  end loop;
  foreach place in array unchanged loop
    recorded[place] := 0;
  end loop;
  return recorded;
end;
$$;
