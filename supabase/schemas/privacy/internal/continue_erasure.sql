-- One step of an erasure, of at most `max_rows` rows: see run_erasures. Returns the erasure after it, stored.
-- The caller holds it locked. Plans must not depend on statistics: the settings hold for all its parts.
-- `work` is {part, after, contactIds, marks}: which part comes next and where it goes on, and the texts by
-- which payloads name the person. The parts after the first look through what does not name contacts.
create or replace function messaging.continue_erasure(erasure messaging.erasures, max_rows integer)
returns messaging.erasures
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
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
      then messaging.sweep_provider_events(erasure.instance_id, marks, pattern, after, max_rows)
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
