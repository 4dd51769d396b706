-- Part of an erasure: looks through the next `max_rows` outbox rows of the instance's workspace, done and
-- dead ones too, and deletes those about the person. A worker that holds one finds it gone. `after` and the
-- result as in sweep_provider_events.
create or replace function messaging.sweep_outbox(
  of_instance uuid,
  pattern text,
  after jsonb,
  max_rows integer
)
returns jsonb
language sql
set search_path = ''
set enable_bitmapscan = off
set enable_sort = off
as $$
  with seen as materialized (
    select o.id, o.created_at, (
        o.payload::text ~ pattern or o.conversation_id::text ~ pattern or o.last_error ~ pattern
      ) and coalesce(o.payload->>'instanceId', of_instance::text) = of_instance::text as is_hit
    from messaging.outbox o
    where o.workspace_id = (select i.workspace_id from messaging.instances i where i.id = of_instance)
      and (o.created_at, o.id) > (
        coalesce((after->>'at')::timestamptz, '-infinity'),
        coalesce((after->>'id')::uuid, '00000000-0000-0000-0000-000000000000')
      )
    order by o.workspace_id, o.created_at, o.id
    limit max_rows
  ),
  gone as (
    delete from messaging.outbox o
    where o.id = any (array(select s.id from seen s where s.is_hit))
    returning o.id
  )
  select messaging.swept(
    'outboxPayloads', (select count(*) from gone),
    (select jsonb_build_object('at', s.created_at, 'id', s.id) from seen s offset max_rows - 1)
  );
$$;
