-- All that the dispatcher needs to send messages it has just claimed, oldest slot first.
create or replace function public.claimed_messages(message_ids uuid[])
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'messageId', m.id,
          'claimToken', q.claim_token,
          'scheduledAt', q.scheduled_at,
          'attempts', q.attempts,
          'instanceId', i.id,
          'provider', i.provider,
          'sealedProviderConfig', i.sealed_provider_config,
          'isContactBlocked', c.is_blocked,
          'to', coalesce(
            -- address_of, written out: a call for each row is most of what this would cost.
            (
              select a.address from public.contact_addresses a
              where a.contact_id = c.id
              order by a.proven_at desc
              limit 1
            ),
            c.phone
          ),
          'messageType', m.message_type,
          'message', m.message,
          'mediaUrl', m.media_url,
          'mediaFilename', m.media_filename,
          'optionList', m.option_list,
          'template', m.template,
          'delayTypingMs', m.delay_typing_ms
        )
        order by q.scheduled_at
      ),
      '[]'
    )
    from unnest(claimed_messages.message_ids) as claimed(message_id)
    join public.message_queue q on q.message_id = claimed.message_id
    join public.messages m on m.id = claimed.message_id
    join public.contacts c on c.id = m.contact_id
    join public.instances i on i.id = m.instance_id
  );
end;
$$;
revoke all on function public.claimed_messages(uuid[]) from public, anon, authenticated;
grant execute on function public.claimed_messages(uuid[]) to service_role;
