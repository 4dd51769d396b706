-- accept_message: decides how a new message with a ladder goes, and sends the invitation where it is to wait for an
-- answer: a message that leaves later anyway is decided when it leaves. `request` as accept_message's.
-- Returns the ladder to store, whether the message waits, and its timing then: 72 hours unless the call says.
-- Locks the contact, then pacing. Errors: MI006, whose detail is [{rung, reason}]; MI010.
create or replace function messaging.begin_ladder(
  instance messaging.instances, request jsonb, message_id uuid, contact_id uuid,
  conversation_id uuid, phone_given text, clock timestamptz, out ladder jsonb,
  out is_waiting boolean, out timing jsonb
) returns record language plpgsql set search_path = '' as $$
declare
  delivery constant jsonb := request->'delivery';
begin
  timing := nullif(delivery->'timing', 'null');
  ladder := messaging.decide_ladder(
    instance, begin_ladder.contact_id, request->'message'->'ladder'
  );
  if ladder ? 'isExhausted' then
    raise exception using errcode = 'MI006', message = 'outside_conversation_window',
      detail = (ladder->'passed')::text;
  end if;
  is_waiting := ladder->'shown'->>'sentAs' = 'invitation'
    and messaging.earliest_departure(delivery, clock) <= clock;
  if is_waiting then
    ladder := messaging.waiting_ladder(
      ladder,
      messaging.find_or_send_invitation(
        instance, begin_ladder.message_id, begin_ladder.contact_id, begin_ladder.conversation_id,
        ladder->'rungs'->(ladder->>'place')::integer, request->'message'->>'sentBy',
        begin_ladder.phone_given, coalesce((delivery->>'queued')::boolean, false),
        (delivery->>'intervalSeconds')::integer, null
      ),
      timing->>'expiresAt' is null
    );
    timing := coalesce(timing, '{}') || jsonb_build_object(
      'expiresAt', messaging.reply_awaited_until((timing->>'expiresAt')::timestamptz, clock)
    );
  end if;
end;
$$;

-- Lets a message that is in no queue wait until its contact writes: it holds `awaiting_reply`, and ends after 72
-- hours where its call named no end. `decided`: its ladder, as decide_ladder decided for an invitation.
-- `is_paced`: see find_or_send_invitation. The caller holds the contact and the message, whose row it gives (see
-- wait_again).
create or replace function messaging.await_reply(
  instance messaging.instances, message messaging.messages, decided jsonb, is_paced boolean
) returns void language plpgsql set search_path = '' as $$
declare
  invitation_id constant uuid := messaging.find_or_send_invitation(
    instance, message.id, message.contact_id, message.conversation_id,
    decided->'rungs'->(decided->>'place')::integer, message.sent_by, message.phone_given,
    is_paced, message.interval_seconds, message.batch_id
  );
begin
  message.ladder := messaging.waiting_ladder(decided, invitation_id, message.expires_at is null);
  message.expires_at := messaging.reply_awaited_until(message.expires_at, clock_timestamp());
  perform messaging.wait_again(message, null, 'awaiting_reply');
end;
$$;

-- The invitation to a contact that a message waits for: the open one, which has yet to leave or left within the
-- last 24 hours, or a new one, which goes as the message would: at the pace where it `is_paced`, else at once,
-- such as in the slot of a message that was to leave now. Returns its id. The caller holds the contact, so that
-- two messages find one invitation, and stores the message. What the invitation costs counts for `of_batch`,
-- the batch of the message. Locks pacing. Errors: MI010.
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
    and (m.status = 'queued' or coalesce(m.sent_at, m.unconfirmed_at) > clock - interval '24 hours')
  order by m.created_at desc
  limit 1;
  if found then
    return invitation_id;
  end if;
  invitation_id := gen_random_uuid();
  if not is_paced then
    perform messaging.schedule_message(
      invitation_id, instance, find_or_send_invitation.contact_id, clock
    );
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

-- An invitation was refused: each message that waits for its answer takes its next rung, or fails. The caller
-- holds the invitation. Locks the contact, the messages, pacing, dispatch.
create or replace function messaging.fail_invitation(invitation messaging.messages)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
  instance messaging.instances;
  decided jsonb;
begin
  select i.* into strict instance from messaging.instances i where i.id = invitation.instance_id;
  for message in
    select m.*
    from messaging.messages m
    where m.contact_id = any (messaging.merged_contact_ids(invitation.contact_id))
      and m.ladder is not null and m.status = 'queued' and m.held_by = 'awaiting_reply'
      and m.ladder->'shown'->>'invitationId' = invitation.id::text
    order by m.created_at, m.id
    for no key update
  loop
    message := messaging.message_after_merge(message);
    decided := messaging.climb_ladder(instance, message, invitation.last_error);
    perform messaging.go_on_by_ladder(instance, message, decided, invitation.last_error);
  end loop;
end;
$$;

-- The ladder of a message that waits for the answer to an invitation. `ends_by_default`: nobody named its end.
create or replace function messaging.waiting_ladder(
  decided jsonb, invitation_id uuid, ends_by_default boolean
) returns jsonb language sql stable
return jsonb_set(
  case
    when ends_by_default then decided || '{"endsByDefault": true}'
    else decided
  end,
  '{shown,invitationId}',
  to_jsonb(invitation_id)
);

-- Until when a message waits for the answer to its invitation: what its call said, or 72 hours from `clock`.
create or replace function messaging.reply_awaited_until(expires_at timestamptz, clock timestamptz)
returns timestamptz language sql stable
return coalesce(expires_at, clock + interval '72 hours');
