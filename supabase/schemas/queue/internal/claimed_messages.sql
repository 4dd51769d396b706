-- All that the dispatcher needs to send messages it has just claimed, oldest slot first.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claimed_messages(message_ids uuid[])
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(to_jsonb(array_agg(handed order by handed."scheduledAt")), '[]')
    from (
      select m.id as "messageId",
        q.claim_token as "claimToken",
        q.scheduled_at as "scheduledAt",
        i.id as "instanceId",
        i.provider,
        i.sealed_provider_config as "sealedProviderConfig",
        c.is_blocked as "isContactBlocked",
        c.consent_marketing = 'denied' and m.purpose is not distinct from 'marketing'
          as "isOptedOut",
        -- Only the agent's deferred answers: a caller cancels its own delayed messages.
        m.agent_id is not null and m.mode = 'scheduled' and m.held_by is distinct from 'delay'
          and exists (
          select from messaging.agent_pauses p
          where p.contact_id = c.id and p.paused_until > clock_timestamp()
        ) as "isAgentPaused",
        -- contact_send_address, written out: a call per message would be a quarter of the work.
        coalesce(
          (
            select a.address from messaging.contact_addresses a
            where a.contact_id = c.id and a.proven_at > '-infinity'
              -- The official channel sends a code to a phone alone.
              and (
                m.message_type <> 'template' or m.purpose is distinct from 'authentication'
                or a.address ~ '^[0-9]+$'
              )
            order by a.proven_at desc
            limit 1
          ),
          m.phone_given,
          c.phone,
          c.identity_key
        ) as "to",
        m.message_type as "messageType",
        m.message,
        m.content,
        m.delay_typing_ms as "delayTypingMs",
        case when m.media_id is not null then messaging.file_to_send(m.media_id) end as file
      from unnest(claimed_messages.message_ids) as claimed(message_id)
      join messaging.message_queue q on q.message_id = any (array[claimed.message_id])
      join messaging.messages m on m.id = any (array[claimed.message_id])
      join messaging.contacts c on c.id = any (array[m.contact_id])
      join messaging.instances i on i.id = any (array[m.instance_id])
    ) as handed
  );
end;
$$;
revoke all on function messaging.claimed_messages(uuid[]) from public, anon, authenticated;
grant execute on function messaging.claimed_messages(uuid[]) to service_role;
