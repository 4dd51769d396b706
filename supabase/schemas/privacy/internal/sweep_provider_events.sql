-- Part of an erasure: looks through the next `max_rows` webhook payloads of the instance and takes out
-- what is about the person; payloads do not name contacts, so all of them are looked through.
-- `after`: the last row that was looked at, {at, id}; NULL at the beginning. Returns {erased:
-- {providerPayloads}, after}, with `after` NULL at the end.
create or replace function messaging.sweep_provider_events(
  of_instance uuid,
  marks text[],
  pattern text,
  after jsonb,
  max_rows integer
)
returns jsonb
language sql
set search_path = ''
set enable_bitmapscan = off
set enable_sort = off
as $$
  with seen as materialized (
    select p.id, p.received_at,
      case
        -- Looking for plain texts costs a twentieth of the expression.
        when p.payload like any (array(select '%' || m.mark || '%' from unnest(marks) as m(mark)))
          and p.payload ~ pattern
          then p.payload
      end as hit
    from messaging.provider_events p
    where p.instance_id = of_instance
      and (p.received_at, p.id) > (
        coalesce((after->>'at')::timestamptz, '-infinity'), coalesce((after->>'id')::bigint, 0)
      )
    order by p.instance_id, p.received_at, p.id
    limit max_rows
  ),
  redacted as materialized (
    select s.id, messaging.redact_payload(s.hit, pattern) as rest from seen s where s.hit is not null
  ),
  gone as (
    delete from messaging.provider_events p
    where p.id = any (array(select r.id from redacted r where r.rest is null))
  ),
  kept as (
    update messaging.provider_events p set payload = r.rest
    from redacted r
    where p.id = any (array[r.id]) and r.rest is not null
  )
  select messaging.swept(
    'providerPayloads', (select count(*) from redacted),
    (select jsonb_build_object('at', s.received_at, 'id', s.id) from seen s offset max_rows - 1)
  );
$$;
