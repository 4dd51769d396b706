-- The state of one message as messages-api reports it. A claim counts as `sending`; what waits says
-- when it may leave now, and what holds it (see expected_departure).
create or replace function messaging.describe_message(message messaging.messages)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'messageId', message.id,
    'status', case
      when q.claim_token is not null and message.status = 'queued' then 'sending'
      else message.status
    end,
    'contactId', message.contact_id,
    'conversationId', message.conversation_id,
    'providerMessageId', message.provider_message_id,
    'scheduledFor', messaging.iso_in_zone(
      case when expected.is_waiting then expected.leaves_at else message.scheduled_for end,
      i.time_zone
    ),
    'heldBy', case when expected.is_waiting then expected.held_by else message.held_by end,
    'createdAt', messaging.iso_in_zone(message.created_at, i.time_zone),
    'sentAt', messaging.iso_in_zone(message.sent_at, i.time_zone),
    'deliveredAt', messaging.iso_in_zone(message.delivered_at, i.time_zone),
    'readAt', messaging.iso_in_zone(message.read_at, i.time_zone),
    'failedAt', messaging.iso_in_zone(message.failed_at, i.time_zone),
    'attempts', message.attempts + case when q.claim_token is not null then 1 else 0 end,
    'lastError', message.last_error
  )
  from messaging.instances i
  left join messaging.message_queue q on q.message_id = message.id
  left join lateral (
    select true as is_waiting, e.*
    from messaging.dispatch d
    cross join lateral messaging.expected_departure(q, message, i, d) as e
    where d.instance_id = i.id and q.message_id is not null and q.claim_token is null
  ) as expected on true
  where i.id = message.instance_id;
$$;
revoke all
on function messaging.describe_message(messaging.messages)
from public, anon, authenticated;
grant execute on function messaging.describe_message(messaging.messages) to service_role;
