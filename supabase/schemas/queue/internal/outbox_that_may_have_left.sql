-- After a restore: e-mails and agents' replies that were promised before the dump and may have gone out
-- since, from the database that was dumped (see messages_that_may_have_left).
-- Those of one instance are found through its workspace.
create or replace function messaging.outbox_that_may_have_left(since timestamptz, of_instance uuid)
returns table (outbox_id uuid, instance_id uuid, kind text) language plpgsql stable
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  if of_instance is null then
    return query
    select o.id, (o.payload->>'instanceId')::uuid, o.kind
    from messaging.outbox o
    where o.settled_at is null and o.created_at <= since;
  else
    return query
    select o.id, of_instance, o.kind
    from messaging.instances i
    -- OFFSET 0: with the date beside it, the index of all workspaces' rows by age looks cheaper.
    cross join lateral (
      select w.* from messaging.outbox w
      where w.workspace_id = i.workspace_id
      offset 0
    ) as o
    where i.id = of_instance and o.status = 'pending' and o.created_at <= since
      and o.payload->>'instanceId' = of_instance::text;
  end if;
end;
$$;
