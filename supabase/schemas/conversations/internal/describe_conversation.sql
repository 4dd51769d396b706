-- A conversation as conversations-api tells it, with instants in `zone`.
create or replace function messaging.describe_conversation(
  conversation messaging.conversations, zone text
) returns jsonb language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return (
    select jsonb_build_object(
      'conversationId', conversation.id,
      'contactId', c.id,
      'contact', jsonb_build_object(
        'contactId', c.id, 'phone', messaging.contact_display_phone(c), 'name', c.name
      ),
      'status', conversation.status,
      'handledBy', conversation.handled_by,
      'assignedTo', conversation.assigned_to,
      'departmentId', conversation.department_id,
      'portfolio', exists (select from messaging.portfolios f where f.contact_id = c.id),
      'awaitingReply', coalesce(a.awaits_reply, false),
      'lastMessageAt', messaging.iso_in_zone(a.last_message_at, zone),
      'referral', ad.referral,
      'aiAgentPausedUntil', messaging.iso_in_zone(
        (
          select p.paused_until from messaging.agent_pauses p
          where p.contact_id = c.id and p.paused_until > clock_timestamp()
        ),
        zone
      ),
      'createdAt', messaging.iso_in_zone(conversation.created_at, zone),
      'updatedAt', messaging.iso_in_zone(
        coalesce(a.updated_at, conversation.updated_at), zone
      )
    )
    from messaging.contacts c
    left join messaging.contact_activity a on a.contact_id = c.id
    left join lateral messaging.newest_referral(c.id) as ad on true
    where c.id = conversation.contact_id
  );
end;
$$;
