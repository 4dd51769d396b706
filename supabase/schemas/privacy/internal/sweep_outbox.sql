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
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  of_workspace constant uuid := (
    select i.workspace_id from messaging.instances i where i.id = of_instance
  );
  seen record;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for seen in
    select o.id, o.created_at, (
        o.payload::text ~ pattern or o.conversation_id::text ~ pattern or o.last_error ~ pattern
      ) and coalesce(o.payload->>'instanceId', of_instance::text) = of_instance::text as is_hit
    from messaging.outbox o
    where o.workspace_id = of_workspace
      and (o.created_at, o.id) > (
        coalesce((after->>'at')::timestamptz, '-infinity'),
        coalesce((after->>'id')::uuid, '00000000-0000-0000-0000-000000000000')
      )
    order by o.workspace_id, o.created_at, o.id
    limit max_rows
  loop
    rows_seen := rows_seen + 1;
    if seen.is_hit then
      delete from messaging.outbox o where o.id = seen.id;
      erased := erased + 1;
    end if;
  end loop;
  return jsonb_build_object(
    'erased', jsonb_build_object('outboxPayloads', erased),
    'after', case
      when rows_seen = max_rows then jsonb_build_object('at', seen.created_at, 'id', seen.id)
    end
  );
end;
$$;
