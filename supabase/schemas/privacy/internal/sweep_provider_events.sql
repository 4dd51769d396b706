-- Part of an erasure: looks through the next `max_rows` webhook payloads of the instance and takes out
-- what is about the person; payloads do not name contacts, so all of them are looked through.
-- `after`: the last row that was looked at, {at, id}; NULL at the beginning. Returns {erased:
-- {providerPayloads}, after}, with `after` NULL at the end.
create or replace function messaging.sweep_provider_events(
  of_instance uuid,
  marks text[],
  after jsonb,
  max_rows integer
)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  pattern constant text := messaging.marks_pattern(marks);
  -- Looking for plain texts costs a twentieth of the expression.
  likes constant text[] := array(select '%' || mark.text || '%' from unnest(marks) as mark(text));
  seen record;
  rows_seen integer := 0;
  rest text;
  erased integer := 0;
begin
  for seen in
    select p.id, p.received_at, case
        when p.payload like any (likes) and p.payload ~ pattern then p.payload
      end as hit
    from messaging.provider_events p
    where p.instance_id = of_instance
      and (p.received_at, p.id) > (
        coalesce((after->>'at')::timestamptz, '-infinity'), coalesce((after->>'id')::bigint, 0)
      )
    order by p.instance_id, p.received_at, p.id
    limit max_rows
  loop
    rows_seen := rows_seen + 1;
    if seen.hit is not null then
      rest := messaging.redact_payload(seen.hit, pattern);
      if rest is null then
        delete from messaging.provider_events p where p.id = seen.id;
      else
        update messaging.provider_events p set payload = rest where p.id = seen.id;
      end if;
      erased := erased + 1;
    end if;
  end loop;
  return jsonb_build_object(
    'erased', jsonb_build_object('providerPayloads', erased),
    'after', case
      when rows_seen = max_rows then jsonb_build_object('at', seen.received_at, 'id', seen.id)
    end
  );
end;
$$;
