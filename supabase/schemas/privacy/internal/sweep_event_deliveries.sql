-- Part of an erasure: looks through the next `max_rows` webhook deliveries of the instance, and deletes the
-- receivers' answers that name the person: those of events that are gone, and of other people's. `after`
-- {endpointId, sequence} and the result as in sweep_provider_events.
create or replace function messaging.sweep_event_deliveries(
  of_instance uuid,
  pattern text,
  after jsonb,
  max_rows integer
)
returns jsonb
language plpgsql
set search_path = ''
set enable_bitmapscan = off
as $$
declare
  endpoint uuid;
  seen record;
  last_sequence bigint;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for endpoint in
    select e.id from messaging.event_endpoints e
    where e.instance_id = of_instance
      and e.id >= coalesce((after->>'endpointId')::uuid, '00000000-0000-0000-0000-000000000000')
    order by e.id
  loop
    for seen in
      select d.id, d.sequence, d.attempts::text ~ pattern as is_hit
      from messaging.event_deliveries d
      where d.endpoint_id = endpoint
        and d.sequence > case
          when endpoint = (after->>'endpointId')::uuid then (after->>'sequence')::bigint else 0
        end
      order by d.endpoint_id, d.sequence
      limit max_rows - rows_seen
    loop
      rows_seen := rows_seen + 1;
      last_sequence := seen.sequence;
      if seen.is_hit then
        update messaging.event_deliveries d
        set attempts = (
          select jsonb_agg(a.value || '{"answer": null}' order by a.place)
          from jsonb_array_elements(d.attempts) with ordinality as a(value, place)
        )
        where d.id = seen.id;
        erased := erased + 1;
      end if;
    end loop;
    exit when rows_seen = max_rows;
  end loop;
  return messaging.swept(
    'deliveries', erased,
    case when rows_seen = max_rows then jsonb_build_object('endpointId', endpoint, 'sequence', last_sequence) end
  );
end;
$$;
