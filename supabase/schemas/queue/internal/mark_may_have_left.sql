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
