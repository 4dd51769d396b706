-- Records the outcome of claimed messages and lets their instances go on.
-- `request`: results [{messageId, claimToken, outcome (accepted | rejected | unknown),
--   providerMessageId, waId, channelStatus (what the provider says of a message that it keeps back),
--   error {code, message, meaning (see shared/model/refusal_meaning.ts)}, retryable, retryAfterMs, scope, isOutage, isUnsent (the provider was not
--   called), calledAfterMs (how long after the claim the call began; NULL for not known),
--   sealedProviderConfig (the credentials of the call; NULL for not known)}], and for an immediate send
--   `response` {status, body (as text)} with `idempotency`
--   {scope, key}.
-- Only the holder of the claim settles. A late worker changes nothing, with two exceptions: that the
-- provider accepted the message is true however late it is reported, and so is that it was not called
-- (see take_back_unsent).
-- A status only moves forward, since a delivery event may have come before. A temporary refusal goes
-- back to the queue while attempts are left; a refusal of scope `instance` holds the whole instance.
-- An outage (session gone, credentials, account: not a rate limit) costs no attempt, so that it does
-- not use up the attempts of a backlog; nor does isUnsent.
-- Returns {settled}: the ids that were settled.
-- Acceptances that show no new address and are not kept back take a short way: one immediate send
-- settle_plain_acceptance, all others settle_plain_acceptances. All else, and whatever these leave, is
-- decided one by one. Locks, in this order: provider message ids, addresses that are new and the contacts
-- that they are of, queue rows, messages, agent pauses, pacing, batches that pause, dispatch, and where an
-- address turns out to be another contact's, that one. Rows of one table in the order of their ids, so that
-- two calls about the same messages never wait for each other.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The steps inherit the
-- settings below. A scan of an index by "= any (ids)" locks in the order of the ids; a bitmap would not.
create or replace function public.settle_messages(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  results jsonb := request->'results';
  shows_addresses constant boolean := results @? '$[*].waId ? (@ != null)'
    and messaging.shows_new_address(results, clock);
  is_short constant boolean := not shows_addresses
    and not results @? '$[*].channelStatus ? (@ != null)';
  short_way record;
  decided messaging.settlement[];
  settlements messaging.settlement[];
  plain uuid[];
  settled uuid[];
  late uuid[];
  has_news boolean;
begin
  if is_short and jsonb_array_length(results) = 1 then
    settled := messaging.settle_plain_acceptance(results->0, clock);
    if settled is not null then
      if nullif(request->'response', 'null') is not null then
        perform messaging.keep_response(request->'idempotency', request->'response', settled);
      end if;
      if messaging.has_noted_contacts() then
        perform messaging.touch_noted_contacts();
      end if;
      return jsonb_build_object('settled', to_jsonb(settled));
    end if;
  end if;
  perform messaging.lock_answers(results, shows_addresses);
  if is_short and not results @? '$[*] ? (@.outcome != "accepted")' then
    short_way := messaging.settle_plain_acceptances(results, clock);
    plain := short_way.settled;
    settled := plain;
    settlements := short_way.settlements;
  end if;

  -- The outcome of the others: queue rows, messages, the addresses that the answers prove.
  if coalesce(cardinality(settled), 0) < jsonb_array_length(results) then
    if settled is not null then
      select jsonb_agg(r) into results
      from jsonb_array_elements(results) as r
      where (r->>'messageId')::uuid <> all (settled);
    end if;
    decided := messaging.decide_settlements(results, clock);
    perform messaging.settle_queue_rows(decided);
    perform messaging.settle_message_rows(decided, clock);
    if results @? '$[*].error.meaning' then
      perform messaging.record_channel_denials(array_agg(s.contact_id), array_agg(s.error))
      from unnest(decided) as s;
    end if;
    if shows_addresses then
      perform messaging.prove_answered_addresses(decided, clock);
    end if;
    settled := settled || array(select s.message_id from unnest(decided) as s);
    if coalesce(cardinality(decided), 0) < jsonb_array_length(results) then
      late := messaging.record_late_acceptances(results, settled, clock);
      settled := settled || messaging.take_back_unsent(results);
    end if;
    settlements := settlements || decided;
  end if;

  -- What follows for the agent, the message's own events, and its instance's queue.
  has_news := exists (
    select from messaging.messages m
    cross join lateral messaging.provider_news(m.instance_id, m.provider_message_id, m.id) as n
    where m.id = any (settled || late)
  );
  if settlements is not null then
    perform messaging.restart_agent_pauses(settlements, clock);
  end if;
  if has_news then
    perform messaging.apply_unmatched_statuses(settled || late);
  end if;
  perform messaging.pause_failing_batches();
  if settlements is not null then
    perform messaging.release_instances(settlements);
  end if;
  if results @? '$[*].error ? (@.meaning == "too_fast")' then
    perform messaging.slow_paces(array_agg(s.instance_id), array_agg(s.error), clock)
    from unnest(decided) as s
    where s.outcome = 'rejected';
  end if;
  if results @? '$[*].error ? (@.meaning == "new_chat_locked")' then
    perform messaging.note_chat_locks(array_agg(s.instance_id), array_agg(s.error), clock)
    from unnest(decided) as s
    where s.outcome = 'rejected';
  end if;
  if nullif(request->'response', 'null') is not null then
    perform messaging.keep_response(request->'idempotency', request->'response', settled);
  end if;

  -- What a reply or a payment came for while a worker had it is not tried again.
  if decided is not null then
    perform messaging.cancel_follow_ups(array[m.id], m.cancel_reason)
    from messaging.messages m
    where m.id = any (array(select s.message_id from unnest(decided) as s))
      and m.status = 'queued' and m.cancel_reason is not null;
  end if;

  -- Whose words the echoes were, and who the contact is.
  if decided is not null then
    perform messaging.resolve_pending_echo(s.message_id, s.outcome, s.provider_message_id, s.echo)
    from unnest(decided) as s
    where s.echo is not null;
  end if;
  -- An echo may just have been recorded under another message's id.
  if has_news or decided is not null then
    perform messaging.merge_echo_duplicates(settled || late);
  end if;
  if shows_addresses then
    perform messaging.assign_contact_phone(c, s.wa_id)
    from unnest(decided) as s
    -- Not a join, whose plan may begin with all contacts without a phone.
    cross join lateral (
      select r.contact_id from messaging.messages r where r.id = s.message_id offset 0
    ) as m
    join messaging.contacts c on c.id = any (array[m.contact_id])
    where s.wa_id is not null and c.phone is null;
  end if;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('settled', to_jsonb(coalesce(settled, '{}')));
end;
$$;

-- Whether touch_noted_contacts has anything to do in this transaction.
create or replace function messaging.has_noted_contacts()
returns boolean language sql stable
return concat(
  current_setting('messaging.sent_contacts', true),
  current_setting('messaging.noted_contacts', true),
  current_setting('messaging.noted_persons', true),
  current_setting('messaging.idle_noted', true)
) != '';

-- settle_messages: records of results that no longer hold their claim that the provider accepted the
-- message. Returns the ids of those that this changed.
create or replace function messaging.record_late_acceptances(
  results jsonb, settled uuid[], clock timestamptz
) returns uuid[] language plpgsql set search_path = '' as $$
begin
  return (
    select array_agg(r."messageId") filter (
      where messaging.advance_message(r."messageId", r."providerMessageId", 'sent', clock, null)
    )
    from jsonb_to_recordset(results) as r("messageId" uuid, outcome text, "providerMessageId" text)
    where r.outcome = 'accepted' and r."messageId" <> all (settled)
  );
end;
$$;

-- settle_messages: pauses the agents now that the messages have left. Where they left soon after, the
-- pauses began when the calls were accepted: see leaves_in_pause.
create or replace function messaging.restart_agent_pauses(
  settlements messaging.settlement[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.renew_agent_pauses(
    array_agg(s.contact_id), array_agg(s.instance_id), messaging.agent_pause_ends_at(clock)
  )
  from unnest(settlements) as s
  where s.pauses_agent and exists (
    select from messaging.ai_agents a where a.instance_id = s.instance_id and a.is_active
    -- Looks for each instance; a join may read all agents.
    offset 0
  )
  -- Most batches pause no agent.
  having count(*) > 0;
end;
$$;

-- settle_messages: whether an answer of `results` shows something about a contact's address that is not
-- recorded yet; prove_answered_addresses would write nothing for the others, and assign_contact_phone
-- neither. Reads only. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.shows_new_address(results jsonb, clock timestamptz)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  perform from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
  join messaging.messages m on m.id = any (array[r."messageId"])
  join messaging.contacts c on c.id = any (array[m.contact_id])
  left join lateral (
    select a.address, a.proven_at from messaging.contact_addresses a
    where a.contact_id = c.id
    order by a.proven_at desc
    limit 1
  ) as newest on true
  where r."waId" is not null and (
    c.phone is null
    or newest.address is distinct from r."waId"
    or newest.proven_at < clock - interval '1 day'
  )
  limit 1;
  return found;
end;
$$;

-- settle_messages: takes settled messages out of the queue, or gives them back to it without a claim.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.settle_queue_rows(settlements messaging.settlement[])
returns void language plpgsql set search_path = '' as $$
begin
  with gone as (
    delete from messaging.message_queue q
    using unnest(settlements) as s
    where q.message_id = any (array[s.message_id]) and not s.is_retried
  )
  update messaging.message_queue q
  set claim_token = null,
    lease_until = null,
    echo = null,
    attempts = case when s.is_outage or s.is_unsent then q.attempts - 1 else q.attempts end,
    lane = case when q.departs_at is not null then 'paced' else q.lane end,
    visible_at = case when q.lane = 'unpaced' and q.departs_at is null then s.retry_at end,
    departs_at = null,
    -- A paced message that is refused for its whole instance, or was not sent, stays the head; otherwise
    -- others may pass.
    scheduled_at = case
      when (q.lane = 'paced' or q.departs_at is not null)
        and (s.holds_instance or s.has_old_credentials or s.is_unsent)
        then q.scheduled_at
      else s.retry_at
    end
  from unnest(settlements) as s
  where q.message_id = any (array[s.message_id]) and s.is_retried;
end;
$$;
