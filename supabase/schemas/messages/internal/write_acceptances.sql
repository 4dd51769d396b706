-- accept_messages: stores the messages of the plain calls with their claims, as place_message does for
-- one immediate message, and the outcomes under the calls' keys. The caller holds the contacts.
create or replace function messaging.write_acceptances(plain messaging.acceptance[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  with messages as (
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, delay_typing_ms, mode, interval_seconds, status, phone_given,
      metadata, purpose
    )
    select p.message_id, p.instance_id, p.contact_id, p.conversation_id, 'outbound',
      p.message->>'messageType', p.message->>'message', nullif(p.message->'content', 'null'),
      p.message->>'cardId', p.message->>'sentBy', p.operator_id,
      (p.message->>'delayTypingMs')::integer, 'sent', (p.delivery->>'intervalSeconds')::integer,
      'sending', p.phone_given, nullif(p.message->'metadata', 'null'), p.message->>'purpose'
    from unnest(plain) as p
  )
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
    lease_until
  )
  select p.message_id, p.instance_id, 'unpaced', date_trunc('milliseconds', clock), lease.ends_at,
    1, 1, p.claim_token, lease.ends_at
  from unnest(plain) as p
  cross join lateral (
    select clock + make_interval(secs => (p.delivery->>'leaseSeconds')::double precision)
  ) as lease(ends_at);
  if exists (select from unnest(plain) as p where p.idempotency is not null) then
    update messaging.idempotency_keys k
    set outcome = messaging.describe_acceptance(p.message_id, p.contact_id, p.conversation_id, p.paused_until, p.time_zone)
    from unnest(plain) as p
    where k.scope = any (array[p.idempotency->>'scope'])
      and k.key = any (array[p.idempotency->>'key']);
  end if;
end;
$$;
