-- The ladder of a recipient of a batch; NULL for none. `entries`: the recipients, where they are not stored.
create or replace function messaging.planned_ladder(
  batch messaging.batches, entries jsonb, recipient_index integer
) returns jsonb language sql stable set search_path = '' set enable_seqscan = off as $$
  select case
    when entries is not null then entries->recipient_index->'draft'->'ladder'
    else (
      select r.draft->'ladder' from messaging.batch_recipients r
      where r.batch_id = batch.id and r.index = recipient_index
    )
  end;
$$;
