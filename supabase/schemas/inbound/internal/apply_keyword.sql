-- Makes what a contact's keyword said (see read_keyword) its consent. Where that denies marketing anew,
-- queues the instance's one confirmation: a message of the system, due at once. It pauses no agent.
-- None goes to a blocked contact, nor where the official channel would refuse it: the contact wrote more
-- than 24 hours ago, nor while another responder holds the conversation (`is_standby`). `message_id`: the
-- contact's message, which the agent then does not see.
create or replace function messaging.apply_keyword(
  instance_id uuid, contact_id uuid, conversation_id uuid, message_id uuid, said text,
  written_at timestamptz, is_standby boolean
) returns void language plpgsql set search_path = '' as $$
declare
  instance messaging.instances;
  confirmation_id constant uuid := gen_random_uuid();
  placed record;
begin
  if not messaging.change_consent(
    apply_keyword.contact_id,
    jsonb_build_object(
      'marketing', said, 'source', 'keyword', 'saidAt', written_at, 'messageId', message_id
    )
  ) or said <> 'denied' or is_standby then
    return;
  end if;
  select i.* into strict instance from messaging.instances i where i.id = apply_keyword.instance_id;
  perform from messaging.contacts c
  where c.id = apply_keyword.contact_id and messaging.send_refusal(
    c.is_blocked, c.consent_marketing, c.last_inbound_at, instance.provider_class, 'text', null,
    clock_timestamp()
  ) is null;
  if not found or instance.opt_out_confirmation is null then
    return;
  end if;
  placed := messaging.schedule_message(
    confirmation_id, instance, apply_keyword.contact_id,
    date_trunc('milliseconds', clock_timestamp())
  );
  perform messaging.add_outbound_messages(array[row(
    confirmation_id, instance.id, apply_keyword.contact_id, apply_keyword.conversation_id,
    jsonb_build_object(
      'messageType', 'text', 'message', instance.opt_out_confirmation, 'sentBy', 'system',
      'purpose', 'opt_out_confirmation'
    ),
    null, null, 'scheduled', null, placed.slot, null, null, null, null, null, null
  )::messaging.outbound_message]);
end;
$$;
