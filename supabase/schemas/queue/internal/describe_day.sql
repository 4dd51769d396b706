-- What an instance's protection allows on its present day, and what of it is taken: {day, limit, limitedBy,
-- sent, waiting, newContacts {limit, sent, waiting}}; `waiting` has a slot today, or is overdue. `limit` is
-- NULL for none, newContacts where they are not limited. NULL without protection.
create or replace function messaging.describe_day(instance messaging.instances, clock timestamptz)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  walk constant messaging.slot_walk := messaging.begin_walk(instance, clock);
  allowed integer;
  today messaging.paced_days;
begin
  if instance.protection is null then
    return null;
  end if;
  allowed := messaging.day_limit(walk, walk.first_day);
  select d.* into today
  from messaging.paced_days d where d.instance_id = instance.id and d.day = walk.first_day;
  return jsonb_build_object(
    'day', walk.first_day,
    'limit', allowed,
    'limitedBy', case
      when allowed is distinct from walk.daily_limit then 'warm_up'
      when allowed is not null then 'daily_limit'
    end,
    'sent', coalesce(today.sent, 0),
    'waiting', coalesce(walk.taken[1], 0) - coalesce(today.sent, 0),
    'newContacts', case
      when walk.new_limit is not null then jsonb_build_object(
        'limit', walk.new_limit,
        'sent', coalesce(today.sent_new, 0),
        'waiting', coalesce(walk.taken_new[1], 0) - coalesce(today.sent_new, 0)
      )
    end
  );
end;
$$;
