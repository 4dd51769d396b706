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
