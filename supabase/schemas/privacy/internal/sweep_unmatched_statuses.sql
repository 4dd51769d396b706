-- Part of an erasure: looks through the next `max_rows` delivery events of the instance whose message is
-- unknown, and deletes those whose error names the person. `after` {id, status} and the result as in
-- sweep_provider_events.
create or replace function messaging.sweep_unmatched_statuses(
  of_instance uuid,
  pattern text,
  after jsonb,
  max_rows integer
)
returns jsonb
language sql
set search_path = ''
set enable_bitmapscan = off
as $$
  with seen as materialized (
    select s.provider_message_id as id, s.status,
      s.provider_message_id ~ pattern or coalesce(s.error::text ~ pattern, false) as is_hit
    from messaging.unmatched_statuses s
    where s.instance_id = of_instance
      and (s.provider_message_id, s.status) > (
        coalesce(after->>'id', ''), coalesce(after->>'status', '')
      )
    order by s.instance_id, s.provider_message_id, s.status
    limit max_rows
  ),
  gone as (
    delete from messaging.unmatched_statuses u
    using seen s
    where s.is_hit and u.instance_id = of_instance and u.provider_message_id = any (array[s.id])
      and u.status = s.status
    returning u.status
  )
  select messaging.swept(
    'statuses', (select count(*) from gone),
    (select jsonb_build_object('id', s.id, 'status', s.status) from seen s offset max_rows - 1)
  );
$$;
