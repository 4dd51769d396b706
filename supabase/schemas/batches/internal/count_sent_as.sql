-- How the messages would go to which `steps` give slots: {message, direct_send, template, invitation}, by what is
-- known now. `entries`: the recipients, where they are not stored.
create or replace function messaging.count_sent_as(
  instance messaging.instances, batch messaging.batches, steps messaging.batch_step[], entries jsonb
) returns jsonb language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  sends constant bigint := (select count(s.slot) from unnest(steps) as s);
  none constant jsonb := '{"message": 0, "direct_send": 0, "template": 0, "invitation": 0}';
begin
  if batch.source ? 'template' and instance.provider_class = 'official' then
    return none || jsonb_build_object('template', sends);
  elsif not messaging.has_ladder(instance, batch) then
    return none || jsonb_build_object('message', sends);
  end if;
  return (
    select none || coalesce(jsonb_object_agg(told.sent_as, told.number), '{}')
    from (
      select case when p.rung = '{}' then 'message' else messaging.rung_sent_as(p.rung) end as sent_as,
        count(*) as number
      from unnest(steps) as s
      left join messaging.contacts c on c.id = any (array[s.contact_id])
      cross join lateral (
        select messaging.planned_rung(
          instance, c, messaging.planned_ladder(batch, entries, s.index), s.slot
        ) as rung
      ) as p
      where s.slot is not null and p.rung is not null
      group by 1
    ) as told
  );
end;
$$;
