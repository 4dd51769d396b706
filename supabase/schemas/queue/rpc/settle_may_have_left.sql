-- admin-api: after a restore, settles what may have left since the dump, a batch at a time: at most
-- maxMessages messages and as many outbox rows.
-- `request`: since, until, instanceId (as list_may_have_left), maxMessages, idempotency, and `action`:
--   unconfirmed: whether they left is unknown. They are not sent again by themselves.
--   cancel: waiting messages become `canceled`.
--   keep: waiting messages stay and leave once the queue is released; so do e-mails and replies.
-- Whatever was in flight when the dump was made becomes `unconfirmed` under each action, once its lease is
-- over. A message that was `unconfirmed` already stays so, and is not retried by itself, but for `keep`.
-- E-mails and agents' replies become `dead` with `may_have_left`, but for `keep`.
-- Returns {unconfirmed, canceled, outboxRows, remaining}: what this call has settled, and how many
-- messages and outbox rows the action has still to settle; or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.settle_may_have_left(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  since constant timestamptz := (request->>'since')::timestamptz;
  due_by constant timestamptz := least(coalesce((request->>'until')::timestamptz, clock), clock);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  action constant text := request->>'action';
  max_rows constant integer := (request->>'maxMessages')::integer;
  uncertain_states constant text[] := case action
    when 'unconfirmed' then '{waiting,in_flight}'::text[] else '{in_flight}' end;
  waiting uuid[];
  uncertain uuid[];
  known uuid[];
  canceled integer := 0;
  unconfirmed integer := 0;
  outbox_rows integer := 0;
  replayed jsonb;
begin
  if of_instance is not null then
    perform messaging.find_instance(of_instance);
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;

  select
    array_agg(l.message_id) filter (where l.state = 'waiting' and action = 'cancel'),
    array_agg(l.message_id) filter (where l.state = any (uncertain_states)),
    array_agg(l.message_id) filter (where l.state = 'unconfirmed' and action <> 'keep')
  into waiting, uncertain, known
  from (
    select m.message_id, m.state
    from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
    left join messaging.message_queue q on q.message_id = m.message_id
    where (action <> 'keep' or m.state = 'in_flight')
      and (q.lease_until is null or q.lease_until <= clock)
    order by m.created_at, m.message_id
    limit max_rows
  ) as l;
  if waiting is not null then
    canceled := messaging.cancel_restored_messages(waiting);
  end if;
  if uncertain is not null then
    unconfirmed := messaging.mark_may_have_left(uncertain);
  end if;
  with marked as (
    update messaging.messages m
    set last_error = jsonb_build_object(
      'code', 'may_have_left',
      'message', 'The database was restored: the message may have left after the backup was made.'
    )
    where m.id = any (known) and m.status = 'unconfirmed'
    returning m.id
  )
  select unconfirmed + count(*) into unconfirmed from marked;
  if action <> 'keep' then
    update messaging.outbox o
    set status = 'dead', claim_token = null, last_error = 'may_have_left', settled_at = clock
    where o.status = 'pending' and o.id = any (array(
      select r.outbox_id
      from messaging.outbox_that_may_have_left(since, of_instance) as r
      limit max_rows
    ));
    get diagnostics outbox_rows = row_count;
  end if;

  return messaging.keep_outcome(request, jsonb_build_object(
    'unconfirmed', unconfirmed,
    'canceled', canceled,
    'outboxRows', outbox_rows,
    'remaining', (
      select count(*)
      from messaging.messages_that_may_have_left(since, due_by, of_instance) as m
      where action <> 'keep' or m.state = 'in_flight'
    ) + case when action = 'keep' then 0 else (
      select count(*) from messaging.outbox_that_may_have_left(since, of_instance)
    ) end
  ));
end;
$$;

-- settle_may_have_left: cancels waiting messages. Locks the messages in the order of their ids, then
-- pacing, and takes out the queue rows that have no claim. No slot is released: theirs have passed.
-- Returns how many.
create or replace function messaging.cancel_restored_messages(message_ids uuid[])
returns integer language plpgsql set search_path = '' as $$
declare
  instance_ids uuid[];
  canceled uuid[];
  rows_gone messaging.message_queue[];
begin
  select array_agg(distinct l.instance_id) into instance_ids
  from (
    select m.instance_id from messaging.messages m
    where m.id = any (cancel_restored_messages.message_ids)
    order by m.id
    for no key update
  ) as l;
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids) order by p.instance_id for no key update;
  with gone as (
    delete from messaging.message_queue q
    where q.message_id = any (cancel_restored_messages.message_ids) and q.claim_token is null
    returning q
  )
  select array_agg((gone.q).message_id), array_agg(gone.q) into canceled, rows_gone from gone;
  perform messaging.release_day_quota(rows_gone);
  perform messaging.end_messages(canceled, 'canceled');
  perform messaging.refresh_dispatch(instance_ids);
  return coalesce(cardinality(canceled), 0);
end;
$$;

-- settle_may_have_left: makes messages `unconfirmed`, with `may_have_left` as their last error: those that
-- wait, and those whose claim is over. They are settled like a call whose outcome is unknown, so that a
-- delivery event or an echo that comes later finds them. Messages whose claim is still open stay.
-- Returns how many.
create or replace function messaging.mark_may_have_left(message_ids uuid[])
returns integer language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  instance_ids uuid[];
  results jsonb;
begin
  perform from messaging.message_queue q
  where q.message_id = any (mark_may_have_left.message_ids)
  order by q.message_id
  for no key update;
  update messaging.message_queue q
  set claim_token = gen_random_uuid(), lease_until = clock
  where q.message_id = any (mark_may_have_left.message_ids) and q.claim_token is null;
  select array_agg(distinct q.instance_id), jsonb_agg(jsonb_build_object(
    'messageId', q.message_id,
    'claimToken', q.claim_token,
    'outcome', 'unknown',
    'error', jsonb_build_object(
      'code', 'may_have_left',
      'message', 'The database was restored: the message may have left after the backup was made.'
    )
  ))
  into instance_ids, results
  from messaging.message_queue q
  where q.message_id = any (mark_may_have_left.message_ids) and q.lease_until <= clock;
  if results is null then
    return 0;
  end if;
  perform public.settle_messages(jsonb_build_object('results', results));
  perform from messaging.pacing p
  where p.instance_id = any (instance_ids) order by p.instance_id for no key update;
  perform messaging.refresh_dispatch(instance_ids);
  return jsonb_array_length(results);
end;
$$;
