-- The category that the channel has announced for a batch's template, by which its next messages will
-- cost, in lower case. NULL for none, and for a batch that is over.
create or replace function messaging.announced_category(batch messaging.batches)
returns text language sql stable set search_path = '' as $$
  select lower(t.category_changes_to)
  from messaging.message_templates t
  where t.id = (batch.source->'template'->>'templateId')::uuid
    and batch.status in ('draft', 'running', 'paused');
$$;
