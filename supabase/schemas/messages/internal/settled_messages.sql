-- settle_messages: settles one accepted immediate send that nothing has happened to but that, as
-- settle_plain_acceptances does several: one statement for both would cost a send 1.10 times as many
-- instructions. `result` as in settle_messages, without an address.
-- Returns the message's id, in an array; or NULL, with nothing changed, where the result is not plain: a
-- reaction's never is, which is told otherwise and is nobody's newest message.
-- Locks the provider's message id before the rows, by looking at it in the condition: conditions are
-- checked before rows are locked. A locked row is read anew.
create or replace function messaging.settle_plain_acceptance(result jsonb, clock timestamptz)
returns uuid[] language plpgsql set search_path = '' as $$
declare
  settled constant uuid := result->>'messageId';
  provider_id text := result->>'providerMessageId';
  tenant uuid;
  addressee uuid;
  noted text;
  has_news boolean;
begin
  if result->>'outcome' <> 'accepted' then
    return null;
  end if;
  select q.instance_id, m.contact_id, coalesce(provider_id, m.provider_message_id)
  into tenant, addressee, provider_id
  from messaging.message_queue q
  join messaging.messages m on m.id = q.message_id
  where q.message_id = settled and q.claim_token = (result->>'claimToken')::uuid
    and q.max_attempts = 1 and q.echo is null and m.status in ('queued', 'sending')
    and m.message_type <> 'reaction'
    and (
      provider_id is null
      or pg_advisory_xact_lock(
        messaging.provider_message_lock_key(q.instance_id, provider_id)
      )::text is not null
    )
  for no key update of q, m;
  if not found then
    return null;
  end if;
  perform from messaging.provider_news(tenant, provider_id, settled);
  has_news := found;
  with settled_row as (
    delete from messaging.message_queue q where q.message_id = settled
  ),
  sent as (
    update messaging.messages m
    set status = 'sent',
      sent_at = coalesce(m.sent_at, clock),
      provider_message_id = coalesce(provider_id, m.provider_message_id),
      attempts = least(m.attempts::integer + 1, 32767),
      lost_claim_token = null,
      last_error = null,
      is_retryable = false,
      failed_at = null,
      unconfirmed_at = null
    where m.id = settled
  )
  update messaging.contact_activity a
  set updated_at = greatest(a.updated_at, messaging.change_instant(a.instance_id)),
    last_message_at = greatest(a.last_message_at, clock),
    awaits_reply = messaging.awaits_reply_after(a.awaits_reply, a.last_message_at, clock)
  where a.contact_id = addressee and not has_news;
  if not has_news then
    -- What touch_noted_contacts would do in a statement of its own, for 100,000 instructions.
    noted := set_config('messaging.sent_contacts', '', true);
  else
    perform messaging.apply_unmatched_statuses(array[settled]);
    perform messaging.merge_echo_duplicates(array[settled]);
  end if;
  return array[settled];
end;
$$;

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

-- settle_messages: writes the outcomes into the messages. What a delivery event has moved on meanwhile
-- keeps its state; a failed message is revived where another attempt was accepted. Notes
-- whose failure may pause their batch.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.settle_message_rows(
  settlements messaging.settlement[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  failed uuid[];
  invitations uuid[];
begin
  with changed as (
    update messaging.messages m
    set attempts = least(m.attempts::integer + (not s.is_unsent)::integer, 32767),
      lost_claim_token = case when s.outcome = 'unknown' then s.claim_token end,
      last_error = case
        when m.status = 'failed' and not s.is_revived then m.last_error
        when s.outcome <> 'accepted' then s.error
      end,
      provider_message_id = coalesce(s.provider_message_id, m.provider_message_id),
      channel_status = s.channel_status,
      status = case
        when s.is_revived then 'sent'
        when m.status not in ('queued', 'sending', 'unconfirmed') then m.status
        when s.is_retried then 'queued'
        when s.outcome = 'accepted' then 'sent'
        when s.outcome = 'rejected' then 'failed'
        else 'unconfirmed'
      end,
      is_retryable = case
        when m.status in ('queued', 'sending', 'unconfirmed') then s.is_retryable
        else m.is_retryable
      end,
      sent_at = case when s.outcome = 'accepted' then coalesce(m.sent_at, clock) else m.sent_at end,
      failed_at = case
        when m.status = 'failed' and not s.is_revived then m.failed_at
        when s.outcome = 'rejected' and not s.is_retried
          and m.status in ('queued', 'sending', 'unconfirmed') then clock
      end,
      unconfirmed_at = case
        when s.outcome = 'unknown' and m.status in ('queued', 'sending') then clock
      end
    -- Told in the order of their ids.
    from (select * from unnest(settlements) order by message_id) as s
    where m.id = any (array[s.message_id])
    returning m.id, m.status = 'failed' and m.ladder ? 'invitationFor' as is_failed_invitation,
      messaging.may_pause_batch(m) and s.outcome = 'rejected' and not s.has_old_credentials as may_pause_batch
  )
  select array_agg(c.id) filter (where c.may_pause_batch),
    array_agg(c.id order by c.id) filter (where c.is_failed_invitation)
  into failed, invitations
  from changed c;
  perform messaging.note_batch_failures(failed);
  if invitations is not null then
    perform messaging.fail_invitation(m) from messaging.messages m
    where m.id = any (invitations);
  end if;
end;
$$;

-- Takes back messages whose claims ended although their workers had not called the provider: another
-- process has made them `unconfirmed`, but nothing was sent. A queued or scheduled message waits again.
-- An immediate send fails, and may be retried; so does a message whose send window never opens now.
-- Only while the message is in doubt by that very claim: since then a delivery event, a person or
-- another attempt may have decided otherwise.
-- `results`: as settle_messages takes them. Returns the ids of those that were taken back.
-- Locks the messages, then pacing (see requeue_message).
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.take_back_unsent(results jsonb)
returns uuid[] language plpgsql set search_path = '' as $$
declare
  unsent record;
  message messaging.messages;
  taken_back uuid[] := '{}';
begin
  for unsent in
    select m as message, r.error
    from jsonb_to_recordset(results) as r(
      "messageId" uuid, "claimToken" uuid, error jsonb, "isUnsent" boolean
    )
    join messaging.messages m on m.id = any (array[r."messageId"])
    where r."isUnsent" and m.status = 'unconfirmed' and m.lost_claim_token = r."claimToken"
    order by m.instance_id, m.id
    for no key update of m
  loop
    message := unsent.message;
    message.is_retryable := true;
    message.last_error := unsent.error;
    message.lost_claim_token := null;
    -- The end of the claim was counted as an attempt.
    message.attempts := greatest(message.attempts - 1, 0);
    begin
      if message.mode in ('queued', 'scheduled') then
        perform messaging.requeue_message(message);
      else
        perform messaging.fail_message(message);
      end if;
    exception when sqlstate 'MI010' then
      perform messaging.fail_message(message);
    end;
    taken_back := taken_back || message.id;
  end loop;
  return taken_back;
end;
$$;
