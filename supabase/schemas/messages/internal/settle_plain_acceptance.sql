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
