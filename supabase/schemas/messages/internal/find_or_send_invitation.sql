-- The invitation to a contact that a message waits for: the open one of the last 24 hours, or a new one, which
-- goes as the message would: at the pace where it `is_paced`, else at once, such as in the slot of a message that
-- was to leave now. Returns its id. The caller holds the contact, so that two messages find one invitation, and
-- stores the message. What the invitation costs counts for `of_batch`, the batch of the message. Locks pacing.
-- Errors: MI010.
create or replace function messaging.find_or_send_invitation(
  instance messaging.instances, message_id uuid, contact_id uuid, conversation_id uuid, rung jsonb,
  sent_by text, phone_given text, is_paced boolean, interval_seconds integer, of_batch uuid
) returns uuid language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  invitation_id uuid;
  slot timestamptz := clock;
  held_by text;
begin
  select m.id into invitation_id
  from messaging.messages m
  where m.contact_id = any (messaging.merged_contact_ids(find_or_send_invitation.contact_id))
    and m.ladder is not null and m.ladder ? 'invitationFor'
    and m.status not in ('failed', 'canceled', 'expired')
    and coalesce(m.sent_at, m.created_at) > clock - interval '24 hours'
  order by m.created_at desc
  limit 1;
  if found then
    return invitation_id;
  end if;
  invitation_id := gen_random_uuid();
  if not is_paced then
    insert into messaging.message_queue (message_id, instance_id, lane, scheduled_at, visible_at)
    values (invitation_id, instance.id, 'unpaced', clock, clock);
  else
    select e.slot, e.held_by into slot, held_by
    from messaging.enqueue_message(
      invitation_id, instance, find_or_send_invitation.interval_seconds, clock, interval '0', find_or_send_invitation.contact_id
    ) e;
  end if;
  perform messaging.add_outbound_messages(array[row(
    invitation_id, instance.id, find_or_send_invitation.contact_id,
    find_or_send_invitation.conversation_id,
    jsonb_build_object(
      'messageType', 'template', 'message', rung->'message', 'content', rung->'content',
      'mediaId', rung->'mediaId', 'purpose', rung->'purpose', 'sentBy', find_or_send_invitation.sent_by, 'pausesAgent', false,
      'ladder', jsonb_build_object(
        'invitationFor', find_or_send_invitation.message_id,
        'batchId', of_batch,
        'shown', jsonb_build_object(
          'sentAs', 'template', 'template', messaging.rung_template(rung),
          'invitationFor', find_or_send_invitation.message_id
        )
      )
    ),
    null, null, case when is_paced then 'queued' else 'scheduled' end,
    find_or_send_invitation.interval_seconds,
    slot, held_by, find_or_send_invitation.phone_given, null, null, null, null
  )::messaging.outbound_message]);
  return invitation_id;
end;
$$;
