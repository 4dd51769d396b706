-- Claims the message of a repeated call for another immediate attempt, after a refusal that its provider
-- calls temporary (decisions, section 5, Idempotency-Key). It is the same message: its stored content is
-- sent, and nothing else of the call is done again but the pause of the agent, as with any accepted call.
-- `request` is accept_message's; `known` is what begin_idempotent said, isAttemptDue.
-- Returns {attempted: {outcome, message (see claimed_messages)}}: the caller holds the claim for
-- leaseSeconds and must settle it.
-- Locks the message; the caller holds the key, so that of two equal calls one attempts.
-- Errors: MI005, MI006, MI034 (as for a first attempt); MI007 (another one came first, by retry_message or a
-- delivery event).
create or replace function messaging.attempt_again(request jsonb, known jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  message messaging.messages;
  contact messaging.contacts;
  instance messaging.instances;
  outcome jsonb := known->'outcome';
  lease_until timestamptz;
  paused_until timestamptz;
begin
  select m.* into message from messaging.messages m
  where m.id = (known->>'messageId')::uuid
  for no key update;
  message := messaging.message_after_merge(message);
  if message.id is null or message.status <> 'failed' or not message.is_retryable
    or exists (select from messaging.message_queue q where q.message_id = message.id) then
    raise exception using errcode = 'MI007', message = 'idempotency_key_in_progress';
  end if;
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  select c.* into strict contact from messaging.contacts c where c.id = message.contact_id;
  perform messaging.refuse_send(
    case when message.ladder is null then instance end, contact, message.message_type,
    message.purpose
  );
  lease_until := clock_timestamp() + make_interval(
    secs => (request->'delivery'->>'leaseSeconds')::double precision
  );
  insert into messaging.message_queue (
    message_id, instance_id, lane, scheduled_at, visible_at, max_attempts, attempts, claim_token,
    lease_until
  )
  values (
    message.id, instance.id, 'unpaced', clock_timestamp(), lease_until, 1, 1, gen_random_uuid(),
    lease_until
  );
  update messaging.messages m
  set status = 'sending', failed_at = null, confirmed_by_echo = false
  where m.id = message.id;
  if messaging.restarts_pause(message) then
    paused_until := messaging.pause_agent(instance.id, contact.id, clock_timestamp());
    outcome := outcome || jsonb_build_object(
      'aiAgentPausedUntil', messaging.iso_in_zone(paused_until, instance.time_zone)
    );
    if paused_until is not null then
      perform messaging.touch_contacts(array[contact.id]);
    end if;
  end if;
  perform messaging.keep_outcome(request, outcome, message.id);
  return jsonb_build_object('attempted', jsonb_build_object(
    'outcome', outcome,
    'message', messaging.claimed_messages(array[message.id])->0
  ));
end;
$$;
