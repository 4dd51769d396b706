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
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  seen record;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for seen in
    select s.provider_message_id, s.status,
      s.provider_message_id ~ pattern or coalesce(s.error::text ~ pattern, false) as is_hit
    from messaging.unmatched_statuses s
    where s.instance_id = of_instance
      and (s.provider_message_id, s.status) > (
        coalesce(after->>'id', ''), coalesce(after->>'status', '')
      )
    order by s.instance_id, s.provider_message_id, s.status
    limit max_rows
  loop
    rows_seen := rows_seen + 1;
    if seen.is_hit then
      delete from messaging.unmatched_statuses s
      where s.instance_id = of_instance and s.provider_message_id = seen.provider_message_id
        and s.status = seen.status;
      erased := erased + 1;
    end if;
  end loop;
  return jsonb_build_object(
    'erased', jsonb_build_object('statuses', erased),
    'after', case
      when rows_seen = max_rows
      then jsonb_build_object('id', seen.provider_message_id, 'status', seen.status)
    end
  );
end;
$$;
