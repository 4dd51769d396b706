-- accept_messages: stores the messages of the plain calls with their claims, as place_message does for
-- one immediate message, and the outcomes under the calls' keys. `calls`: how many results are returned.
-- Returns the results as accept_message gives them, in the order of the request, with NULL for each call
-- that is not among `plain`.
-- Locks the contacts in the order of their ids.
-- Errors: 40001 where a contact was merged meanwhile; the batch must be repeated.
create or replace function messaging.write_acceptances(plain messaging.acceptance[], calls integer)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  results jsonb;
  stored integer;
begin
  with locked as materialized (
    select c.id from messaging.contacts c
    where c.id = any (array(select p.contact_id from unnest(plain) as p))
    order by c.id
    for key share
  ), claims as materialized (
    select p.*, gen_random_uuid() as claim_token,
      clock + make_interval(secs => (p.delivery->>'leaseSeconds')::double precision) as lease_until
    from unnest(plain) as p
  ), messages as (
    insert into messaging.messages (
      id, instance_id, contact_id, conversation_id, direction, message_type, message, content,
      card_id, sent_by, operator_id, delay_typing_ms, mode, interval_seconds, status, phone_given
    )
    select p.message_id, p.instance_id, p.contact_id, p.conversation_id, 'outbound',
      p.message->>'messageType', p.message->>'message', nullif(p.message->'content', 'null'),
      p.message->>'cardId', p.message->>'sentBy', p.operator_id,
      (p.message->>'delayTypingMs')::integer, 'sent', (p.delivery->>'intervalSeconds')::integer,
      'sending', p.phone_given
    from claims p
    join locked on locked.id = p.contact_id
    returning 1
  ), queued as (
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
      lease_until
    )
    select p.message_id, p.instance_id, 'unpaced', date_trunc('milliseconds', clock), p.lease_until,
      1, 1, p.claim_token, p.lease_until
    from claims p
  ), outcomes as materialized (
    select p.place, p.message_id, p.idempotency, p.claim_token,
      coalesce(p.send_address, p.phone) as send_address,
      jsonb_build_object(
        'mode', 'sent',
        'contactId', p.contact_id,
        'conversationId', p.conversation_id,
        'agentId', null,
        'assignment', null,
        'messageId', p.message_id,
        'status', 'sending',
        'scheduledFor', null,
        'heldBy', null,
        'aiAgentPausedUntil', messaging.iso_in_zone(p.paused_until, p.time_zone)
      ) as outcome
    from claims p
  ), kept as (
    update messaging.idempotency_keys k
    set outcome = o.outcome
    from outcomes o
    where o.idempotency is not null
      and k.scope = o.idempotency->>'scope' and k.key = o.idempotency->>'key'
  )
  select jsonb_agg(
      o.outcome || jsonb_build_object('claimToken', o.claim_token, 'to', o.send_address)
      order by numbers.place
    ),
    (select count(*) from messages)
  into results, stored
  from generate_series(1, write_acceptances.calls) as numbers(place)
  left join outcomes o on o.place = numbers.place;
  if stored < cardinality(plain) then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
  return results;
end;
$$;
revoke all
on function messaging.write_acceptances(messaging.acceptance[], integer)
from public, anon, authenticated;
grant execute
on function messaging.write_acceptances(messaging.acceptance[], integer)
to service_role;
