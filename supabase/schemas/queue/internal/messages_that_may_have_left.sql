-- After a restore: the messages of the dump that may have left since, from the database that was dumped.
-- `state`: `waiting` (in the queue, due by `due_by`), `in_flight` (claimed when the dump was made),
-- `unconfirmed` (by a claim that ended since, or sent again by itself where onUnconfirmed is
-- `retry`). `since`: the instant of the dump; what was accepted after it was accepted here. Messages that
-- an operator has settled (see settle_may_have_left) are not listed again.
-- `of_instance`: NULL for all instances. Instance by instance, so that other tenants' rows are not read.
create or replace function messaging.messages_that_may_have_left(
  since timestamptz, due_by timestamptz, of_instance uuid
) returns table (
  message_id uuid, instance_id uuid, created_at timestamptz, due_at timestamptz, state text
) language plpgsql stable set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  clock constant timestamptz := clock_timestamp();
  wanted uuid[] := array[of_instance];
begin
  if of_instance is null then
    wanted := array(select i.id from messaging.instances i);
  end if;
  return query
  select q.message_id, q.instance_id, m.created_at, q.scheduled_at,
    case when q.claim_token is null then 'waiting' else 'in_flight' end
  from unnest(wanted) as i(id)
  cross join lateral messaging.queue_of_instance(i.id) as q
  -- OFFSET 0: a join might begin with the messages of all instances, here and below.
  cross join lateral (
    select a.created_at from messaging.messages a
    where a.id = q.message_id
    offset 0
  ) as m
  where (q.claim_token is not null or q.scheduled_at <= due_by) and m.created_at <= since
  union all
  select m.id, m.instance_id, m.created_at, m.unconfirmed_at, 'unconfirmed'
  from unnest(wanted) as w(id)
  join messaging.instances i on i.id = w.id
  cross join lateral (
    select u.* from messaging.messages u
    where u.instance_id = i.id and u.status = 'unconfirmed'
    offset 0
  ) as m
  where m.created_at <= since
    and (
      m.unconfirmed_at > since
      or i.on_unconfirmed = 'retry' and m.unconfirmed_at > clock - interval '1 day'
        and m.attempts < 6
    )
    and m.last_error->>'code' is distinct from 'may_have_left';
end;
$$;
