-- How many messages of a batch in a row, that of `turn` among them, have failed for good with this code: at
-- most four on either side are looked at. They stand in the order in which they left, whenever their outcomes
-- came, so a delivery event that is late counts where it belongs. What has not left, and what nobody knows
-- of, is passed over.
create or replace function messaging.failures_in_row(
  batch messaging.batches, turn integer, code text
) returns integer language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  failures integer;
begin
  with neighbours as (
    (
      select r.turn, messaging.has_failed_for_good(m) and m.last_error->>'code' = code as is_equal
      from messaging.batch_recipients r
      join messaging.messages m on m.id = any (array[r.message_id])
      where r.batch_id = batch.id and r.turn < failures_in_row.turn and r.turn >= batch.counted_from
        and m.status in ('sent', 'delivered', 'read', 'failed')
      order by r.turn desc
      limit 4
    )
    union all
    (
      select r.turn, messaging.has_failed_for_good(m) and m.last_error->>'code' = code
      from messaging.batch_recipients r
      join messaging.messages m on m.id = any (array[r.message_id])
      where r.batch_id = batch.id and r.turn > failures_in_row.turn
        and m.status in ('sent', 'delivered', 'read', 'failed')
      order by r.turn
      limit 4
    )
  )
  select 1 + count(*) into failures
  from neighbours n
  where n.turn > coalesce(
      (select max(e.turn) from neighbours e where not e.is_equal and e.turn < failures_in_row.turn), 0
    )
    and n.turn < coalesce(
      (select min(e.turn) from neighbours e where not e.is_equal and e.turn > failures_in_row.turn),
      batch.turns + 1
    );
  return failures;
end;
$$;
