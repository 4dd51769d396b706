-- The messages that a walk gives slots: see walk_batches, and describe_estimates. `entries`: the recipients,
-- where they are not stored, whose phones new contacts will have. Those before `first_index` are not estimated,
-- and those whom a free entry point makes free at their slot are left out, see planned_recipients; so are
-- those for whom no rung of their ladder is left.
create or replace function messaging.planned_steps(
  instance messaging.instances, batch messaging.batches, steps messaging.batch_step[],
  entries jsonb, first_index integer
) returns messaging.planned_send[] language plpgsql stable set search_path = ''
set enable_seqscan = off as $$
declare
  climbs constant boolean := messaging.has_ladder(instance, batch);
begin
  return array(
    select row(
      case when s.contact_id is null then entries->s.index->>'phone' else c.phone end, s.slot,
      s.index >= first_index, messaging.rung_category(planned.rung)
    )::messaging.planned_send
    from unnest(steps) as s
    left join messaging.contacts c
      on c.id = any (array[s.contact_id]) and (s.index >= first_index or climbs)
    cross join lateral (
      select case
        when climbs then messaging.planned_rung(
          instance, c, messaging.planned_ladder(batch, entries, s.index), s.slot
        )
        else '{}'
      end as rung
    ) as planned
    where s.slot is not null and planned.rung is not null
      and not exists (
        select from messaging.free_entry_point(c.id, c.last_inbound_at, s.slot)
      )
  );
end;
$$;
