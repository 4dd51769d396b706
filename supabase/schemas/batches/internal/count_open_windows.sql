-- Of the messages to which `steps` give slots: {windowOpen, how many find the contact's window open at their
-- slot; freeEntryPoint, how many the channel would bill nothing for}. By what is known now, see shown_window.
create or replace function messaging.count_open_windows(
  instance messaging.instances, steps messaging.batch_step[]
) returns jsonb language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
begin
  if instance.provider_class <> 'official' then
    return jsonb_build_object(
      'windowOpen', (select count(s.slot) from unnest(steps) as s), 'freeEntryPoint', 0
    );
  end if;
  return (
    select jsonb_build_object(
      'windowOpen', count(*) filter (where messaging.window_closes_at(c.last_inbound_at) >= s.slot),
      'freeEntryPoint', count(free.ends_at)
    )
    from unnest(steps) as s
    join messaging.contacts c on c.id = any (array[s.contact_id])
    left join lateral messaging.free_entry_point(c.id, c.last_inbound_at, s.slot) as free
      on true
    where s.slot is not null
  );
end;
$$;
