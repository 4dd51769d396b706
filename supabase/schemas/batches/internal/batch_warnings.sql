-- What somebody who is about to send a batch should know, and cannot read in it: category_changes, where the
-- channel has announced that it gives the batch's template another category, by which it costs. A list of
-- words; empty for a batch that is over.
create or replace function messaging.batch_warnings(batch messaging.batches)
returns jsonb language sql stable set search_path = '' as $$
  select case
    when messaging.announced_category(batch) is null then '[]'::jsonb
    else '["category_changes"]'
  end;
$$;
