-- The category by which a message costs that goes by this rung of its ladder (see planned_rung), in lower case:
-- that of the rung's template as it is now. NULL for the message as it is.
create or replace function messaging.rung_category(rung jsonb)
returns text language sql stable set search_path = '' set enable_seqscan = off as $$
  select case
    when rung->>'rung' is null then null
    when rung->>'rung' = 'directSend' then 'utility'
    else coalesce(
      (
        select lower(t.category) from messaging.message_templates t
        where t.id = (rung->>'templateId')::uuid
      ),
      messaging.told_purpose(rung->>'purpose')
    )
  end;
$$;
