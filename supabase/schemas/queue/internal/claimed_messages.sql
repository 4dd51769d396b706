-- All that the dispatcher needs to send messages it has just claimed, oldest slot first.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.claimed_messages(message_ids uuid[])
returns jsonb language plpgsql stable set search_path = '' as $$
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
        -- A campaign answers nobody.
        case when m.batch_id is null then i.read_receipts else 'off' end as "readReceipts",
        c.is_blocked as "isContactBlocked",
        messaging.denies_marketing(
          messaging.effective_consent(
            m.purpose, i.people_scope, i.workspace_id, c.id, c.identity_key, c.consent_marketing,
            c.consent_at
          ),
          m.purpose
        ) as "isOptedOut",
        -- Only the agent's own answers: a caller cancels its own messages.
        m.purpose is not distinct from 'agent_answer' and exists (
          select from messaging.agent_pauses p
          where p.contact_id = c.id and p.paused_until > clock_timestamp()
        ) as "isAgentPaused",
        coalesce(
          (
            -- The official channel sends a code to a phone alone.
            select p.address
            from messaging.proven_address(
              c.id, m.message_type = 'template' and m.purpose is not distinct from 'authentication'
            ) as p
          ),
          m.phone_given,
          c.phone,
          c.identity_key
        ) as "to",
        m.message_type as "messageType",
        m.message,
        m.content,
        m.quoted_provider_message_id as "quotedProviderMessageId",
        case when m.quoted_message_id is not null then (
          select q.direction = 'outbound' from messaging.messages q where q.id = m.quoted_message_id
        ) end as "quotedIsOurs",
        m.delay_typing_ms as "delayTypingMs",
        m.ladder->'rungs' is not null as "hasLadder",
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
