-- Stores new outbound messages, of sending calls, batches and keywords. An immediate message (`sent`) gets
-- its row of the queue here: claimed by its caller, and tried once. The others have theirs already, see
-- enqueue_message and schedule_message: of one call all are immediate, or none, and all
-- ask a question, or the first asks none (see add_questions). The caller holds the contacts.
-- Returns created_at, so that it can be assigned, which costs no statement.
create or replace function messaging.add_outbound_messages(messages messaging.outbound_message[])
returns timestamptz language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  insert into messaging.messages (
    id, instance_id, contact_id, conversation_id, direction, message_type, message, content, card_id,
    sent_by, operator_id, agent_id, delay_typing_ms, mode, interval_seconds, status, scheduled_for,
    held_by, phone_given, metadata, purpose, batch_id, media_id, pauses_agent, expires_at,
    cancel_key, created_at, quoted_message_id, quoted_provider_message_id, ladder,
    cancel_on, payment_reference, question_id
  )
  select m.id, m.instance_id, m.contact_id, m.conversation_id, 'outbound', m.draft->>'messageType',
    m.draft->>'message', nullif(m.draft->'content', 'null'), m.draft->>'cardId', m.draft->>'sentBy',
    case when m.draft->>'sentBy' = 'operator' then m.assigned_to end, m.agent_id,
    (m.draft->>'delayTypingMs')::integer, m.mode, m.interval_seconds,
    case m.mode when 'sent' then 'sending' else 'queued' end, m.scheduled_for, m.held_by,
    m.phone_given, nullif(m.draft->'metadata', 'null'), m.draft->>'purpose', m.batch_id,
    (m.draft->>'mediaId')::uuid, m.draft->>'pausesAgent' is null,
    (m.timing->>'expiresAt')::timestamptz, m.timing->>'cancelKey',
    -- Not the transaction's instant: a keyword's answer stands after the contact's word.
    clock, (m.draft->>'replyTo')::uuid, m.draft->>'quotedProviderMessageId',
    m.draft->'ladder', m.timing->'cancelOn', m.timing->>'paymentReference',
    (m.draft->'ask'->>'questionId')::uuid
  from unnest(messages) as m;
  if messages[1].draft->'ask' is not null then
    perform messaging.add_questions(messages, clock);
  end if;
  if messaging.asks_to_pay(messages[1].draft->'content') then
    perform messaging.add_payments(messages, clock);
  end if;
  if messages[1].claim_token is null then
    return clock;
  end if;
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
    lease_until
  )
  select m.id, m.instance_id, 'unpaced', date_trunc('milliseconds', clock), lease.ends_at, 1, 1,
    m.claim_token, lease.ends_at
  from unnest(messages) as m
  cross join lateral (select clock + make_interval(secs => m.lease_seconds)) as lease(ends_at);
  return clock;
end;
$$;

-- add_outbound_messages: stores the questions that these new messages ask. `ask` of a draft: {questionId,
-- accept, choices, answerWithinSeconds, remindAfterSeconds, key, reminder, onInvalid, sealedNotify, agentId}.
-- The caller has noted that their contacts may answer: see expect_reply.
create or replace function messaging.add_questions(
  messages messaging.outbound_message[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  insert into messaging.questions (
    id, instance_id, contact_id, message_id, batch_id, key, accept, choices, answer_within,
    remind_after, reminder, on_invalid, sealed_notify, agent_id, created_at, reminder_status
  )
  select (m.draft->'ask'->>'questionId')::uuid, m.instance_id, m.contact_id, m.id, m.batch_id,
    m.draft->'ask'->>'key', m.draft->'ask'->>'accept', nullif(m.draft->'ask'->'choices', 'null'),
    make_interval(secs => (m.draft->'ask'->>'answerWithinSeconds')::double precision),
    make_interval(secs => (m.draft->'ask'->>'remindAfterSeconds')::double precision),
    m.draft->'ask'->>'reminder', m.draft->'ask'->>'onInvalid', m.draft->'ask'->>'sealedNotify',
    (m.draft->'ask'->>'agentId')::uuid, clock,
    case when m.draft->'ask'->>'remindAfterSeconds' is not null then 'waiting' end
  from unnest(messages) as m
  where m.draft->'ask' is not null;
end;
$$;

-- Stores the payments that these new messages ask for: `content.payment` of their drafts, which the API has checked,
-- and `fallsBack`. One whose time would be over before its message leaves would expire in silence. The caller holds
-- the contacts.
-- Errors: MI090 where the instance has an open payment of that reference; MI091 (expiresAt).
create or replace function messaging.add_payments(
  messages messaging.outbound_message[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  if exists (
    select from unnest(messages) as m
    where (m.draft->'content'->'payment'->>'expiresAt')::timestamptz
      < greatest(clock, case when m.mode = 'scheduled' then m.scheduled_for end) + messaging.payment_lead()
      -- A batch ends before, see new_batch.
      and m.batch_id is null
  ) then
    raise exception using errcode = 'MI091', message = 'expiresAt is too near';
  end if;
  insert into messaging.payments (
    message_id, instance_id, contact_id, reference, amount, falls_back, created_at, expires_at
  )
  select m.id, m.instance_id, m.contact_id, m.draft->'content'->'payment'->>'reference',
    (m.draft->'content'->'payment'->>'amount')::numeric,
    coalesce((m.draft->>'fallsBack')::boolean, false), clock,
    (m.draft->'content'->'payment'->>'expiresAt')::timestamptz
  from unnest(messages) as m;
exception when unique_violation then
  raise exception using errcode = 'MI090', message = 'reference_in_use';
end;
$$;
