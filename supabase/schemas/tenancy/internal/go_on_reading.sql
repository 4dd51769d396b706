-- A list's reading after a step, which has read `step_read` rows, the last one at `last_read` {createdAt, id},
-- and found `records` among them. It is over where the page is full or no row is left, or where all steps have
-- read `most_read` rows: then the page is short, and the next one goes on there.
create or replace function messaging.go_on_reading(
  reading messaging.list_reading, records jsonb[], step_read bigint, last_read jsonb,
  most_read integer
) returns messaging.list_reading language plpgsql immutable set search_path = '' as $$
begin
  reading.records := reading.records || go_on_reading.records;
  reading.rows_read := reading.rows_read + step_read;
  reading.is_over := cardinality(reading.records) > reading.page_size or step_read < reading.step;
  if not reading.is_over and reading.rows_read >= most_read then
    reading.is_over := true;
    reading.next := last_read;
  end if;
  reading.after_at := (last_read->>'createdAt')::timestamptz;
  reading.after_id := (last_read->>'id')::uuid;
  reading.step := least(reading.step * 4, most_read - reading.rows_read);
  return reading;
end;
$$;
