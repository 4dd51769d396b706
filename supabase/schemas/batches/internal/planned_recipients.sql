-- The messages to the recipients of a batch who are pending and may be written to, as if they left at
-- `clock`, but not before the batch's start_at: see describe_estimates. Without those whom a free entry point
-- makes free: they cost nothing, and take none of the month's free service messages.
create or replace function messaging.planned_recipients(
  instance messaging.instances, batch messaging.batches, clock timestamptz
) returns messaging.planned_send[] language plpgsql stable set search_path = ''
set enable_seqscan = off as $$
declare
  climbs constant boolean := messaging.has_ladder(instance, batch);
  leaves_at constant timestamptz := greatest(clock, batch.start_at);
begin
  return array(
    select row(c.phone, leaves_at, true, messaging.rung_category(planned.rung))::messaging.planned_send
    from messaging.batch_recipients r
    join messaging.contacts c on c.id = any (array[r.contact_id])
    cross join lateral (
      select case
        when climbs then messaging.planned_rung(instance, c, r.draft->'ladder', leaves_at)
        else '{}'
      end as rung
    ) as planned
    where r.batch_id = batch.id and r.status = 'pending' and planned.rung is not null
      and messaging.send_refusal(
        c.is_blocked, c.consent_marketing, null, null, null, batch.purpose, null
      ) is null
      and not exists (
        select from messaging.free_entry_point(c.id, c.last_inbound_at, leaves_at)
      )
  );
end;
$$;
