set local check_function_bodies = off;

drop function messaging.sweep_provider_events(uuid,text,jsonb,integer);

-- One step of an erasure, of at most `max_rows` rows: see run_erasures. Returns the erasure after it, stored.
-- The caller holds it locked.
-- `work` is {part, after, contactIds, marks}: which part comes next and where it goes on, and the texts by
-- which payloads name the person. The parts after the first look through what does not name contacts.
create or replace function messaging.continue_erasure(erasure messaging.erasures, max_rows integer)
returns messaging.erasures
language plpgsql
set search_path = ''
as $$
declare
  parts constant text[] := array[
    'rows', 'provider_events', 'unmatched_statuses', 'idempotency_keys', 'outbox', 'event_deliveries'
  ];
  part constant text := erasure.work->>'part';
  after constant jsonb := nullif(erasure.work->'after', 'null');
  marks constant text[] := array(select jsonb_array_elements_text(erasure.work->'marks'));
  pattern constant text := messaging.marks_pattern(marks);
  swept jsonb;
  next_part text;
begin
  if part = 'rows' then
    erasure := messaging.erase_rows(erasure, max_rows);
  else
    swept := case part
      when 'provider_events'
      then messaging.sweep_provider_events(erasure.instance_id, marks, after, max_rows)
      when 'unmatched_statuses'
      then messaging.sweep_unmatched_statuses(erasure.instance_id, pattern, after, max_rows)
      when 'idempotency_keys'
      then messaging.sweep_idempotency_keys(erasure.instance_id, pattern, after, max_rows)
      when 'outbox'
      then messaging.sweep_outbox(erasure.instance_id, pattern, after, max_rows)
      when 'event_deliveries'
      then messaging.sweep_event_deliveries(erasure.instance_id, pattern, after, max_rows)
    end;
    erasure.counts := messaging.add_counts(erasure.counts, swept->'erased');
    erasure.work := erasure.work || jsonb_build_object('after', swept->'after');
    if swept->'after' = 'null' then
      next_part := parts[array_position(parts, part) + 1];
      erasure.work := erasure.work || jsonb_build_object('part', next_part);
      if next_part is null then
        erasure.status := 'done';
        erasure.work := null;
        erasure.done_at := clock_timestamp();
      end if;
    end if;
  end if;
  update messaging.erasures e
  set status = erasure.status, counts = erasure.counts, work = erasure.work, done_at = erasure.done_at
  where e.id = erasure.id;
  return erasure;
end;
$$;
revoke all
on function messaging.continue_erasure(messaging.erasures, integer)
from public, anon, authenticated;
grant execute on function messaging.continue_erasure(messaging.erasures, integer) to service_role;

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
revoke all
on function messaging.sweep_provider_events(uuid, text[], jsonb, integer)
from public, anon, authenticated;
grant execute
on function messaging.sweep_provider_events(uuid, text[], jsonb, integer)
to service_role;
