-- settle_messages: settles, with three plain statements, the results of messages that nothing has
-- happened to but that the provider accepted them: the claim holds, no delivery event has moved the
-- message on, no echo is kept. Most settlements are of this kind; what a settlement costs is mostly the
-- start of its statements. `results` as in settle_messages, none with an address.
-- `settled`: the ids of those that were settled. `settlements`: those of them that something may follow
-- for, an agent or the instance's queue: all but immediate sends; with the provider's id of the message.
-- The caller settles the other results, whose claims it has locked now.
-- "= any (...)" everywhere: such a look-up has one plan, by the primary key, whatever the statistics.
-- Locks queue rows with their messages, in the order of their ids.
create or replace function messaging.settle_plain_acceptances(
  results jsonb, clock timestamptz, out settled uuid[], out settlements messaging.settlement[]
) language plpgsql set search_path = '' as $$
declare
  ids uuid[];
  told jsonb;
begin
  select array_agg((r->>'messageId')::uuid), jsonb_object_agg((r->>'messageId')::uuid, r)
  into ids, told
  from jsonb_array_elements(results) as r;
  -- "= any (ids)", not a join: no plan reads the whole queue.
  select array_agg(locked.message_id) filter (where locked.is_plain),
    array_agg(
      row(
        locked.message_id, locked.instance_id, locked.contact_id, null, locked.lane, 'accepted',
        locked.provider_id, null, null, null, null, false, false, false, null, false, false, false, false,
        locked.pauses_agent, locked.called_after_ms, null
      )::messaging.settlement
    ) filter (where locked.is_plain and locked.max_attempts > 1)
  into settled, settlements
  from (
    select q.message_id, q.instance_id, m.contact_id, q.lane, q.max_attempts,
      coalesce(told #>> array[q.message_id::text, 'providerMessageId'], m.provider_message_id)
        as provider_id,
      (told #>> array[q.message_id::text, 'calledAfterMs'])::integer as called_after_ms,
      q.echo is null and m.status in ('queued', 'sending') and m.message_type <> 'reaction' as is_plain,
      messaging.restarts_pause(m) as pauses_agent
    from messaging.message_queue q
    join messaging.messages m on m.id = any (array[q.message_id])
    where q.message_id = any (ids)
      and q.claim_token = (told #>> array[q.message_id::text, 'claimToken'])::uuid
    order by q.message_id
    for no key update of q, m
  ) as locked;
  if settled is null then
    return;
  end if;
  delete from messaging.message_queue q where q.message_id = any (settled);
  update messaging.messages m
  set status = 'sent',
    sent_at = coalesce(m.sent_at, clock),
    provider_message_id = coalesce(
      told #>> array[m.id::text, 'providerMessageId'], m.provider_message_id
    ),
    attempts = least(m.attempts::integer + 1, 32767),
    lost_claim_token = null,
    last_error = null,
    is_retryable = false,
    failed_at = null,
    unconfirmed_at = null
  where m.id = any (settled);
end;
$$;
