-- After a restore: e-mails and agents' replies that were promised before the dump and may have gone out
-- since, from the database that was dumped (see messages_that_may_have_left).
create or replace function messaging.outbox_that_may_have_left(since timestamptz, of_instance uuid)
returns table (outbox_id uuid, instance_id uuid, kind text)
language plpgsql
stable
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  select o.id, (o.payload->>'instanceId')::uuid, o.kind
  from messaging.outbox o
  where o.settled_at is null and o.created_at <= since
    and (of_instance is null or (o.payload->>'instanceId')::uuid = of_instance);
end;
$$;
revoke all
on function messaging.outbox_that_may_have_left(timestamptz, uuid)
from public, anon, authenticated;
grant execute on function messaging.outbox_that_may_have_left(timestamptz, uuid) to service_role;
