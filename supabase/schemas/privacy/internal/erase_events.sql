-- Part of an erasure: deletes at most `max_rows` events about these contacts (a person's, and those that
-- were merged into it), with their webhook deliveries. Readers of the feed find a gap, as after any number
-- that no event has; contact.erased tells them what to do.
-- Returns {events, deliveries, phones}: how many, and the phones that the events named.
create or replace function messaging.erase_events(
  instance_id uuid,
  contact_ids uuid[],
  max_rows integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  sequences bigint[];
  deliveries integer;
  erased jsonb;
begin
  sequences := array(
    select e.sequence from messaging.events e
    where e.contact_id = any (contact_ids) and e.type <> 'contact.erased'
    limit max_rows
  );
  delete from messaging.event_deliveries d
  where d.endpoint_id = any (array(
      select p.id from messaging.event_endpoints p where p.instance_id = erase_events.instance_id
    ))
    and d.sequence = any (sequences);
  get diagnostics deliveries = row_count;
  with gone as (
    delete from messaging.events e
    where e.sequence = any (sequences)
    returning coalesce((e.message).contact_phone, e.data->>'phone') as phone
  )
  select jsonb_build_object(
    'events', count(*),
    'deliveries', deliveries,
    'phones', coalesce(jsonb_agg(distinct g.phone) filter (where g.phone is not null), '[]')
  )
  into erased
  from gone g;
  return erased;
end;
$$;
