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
