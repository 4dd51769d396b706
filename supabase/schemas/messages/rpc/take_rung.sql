-- Decides how a claimed message with a ladder leaves, and after a refusal what is tried next: by the same message,
-- under the same claim. `request`: instanceId, messageId, claimToken, leaseSeconds, refusal {code, message,
-- meaning} or NULL before the first call.
-- Returns {outcome}: `send`, with sentAs, and template {messageType, message, content} where a template goes
-- in the message's place, with the file of its header (see file_to_send): the claim then lasts leaseSeconds
-- from now; `waits`, for an answer to an invitation: the claim has ended; `refused` with rungs [{rung,
-- reason}] where none is left; `stands` where the refusal is not about the window: the caller settles both;
-- `lost` where the claim has ended. With `shown`, what records tell now.
-- Locks the contact, the queue row and the message, then pacing, then as release_instances.
-- Errors: MI055 where the contact is merged meanwhile; MI010.
create or replace function public.take_rung(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  refusal constant jsonb := nullif(request->'refusal', 'null');
  addressee uuid;
  queued messaging.message_queue;
  message messaging.messages;
  instance messaging.instances;
  decided jsonb;
  is_changed boolean;
begin
  select m.contact_id into addressee from messaging.messages m
  where m.id = (request->>'messageId')::uuid;
  perform from messaging.contacts c where c.id = addressee for no key update;
  select q.* into queued from messaging.message_queue q
  where q.message_id = (request->>'messageId')::uuid
    and q.claim_token = (request->>'claimToken')::uuid
  for no key update;
  if not found then
    return '{"outcome": "lost"}';
  end if;
  select m.* into strict message from messaging.messages m
  where m.id = queued.message_id
  for no key update;
  if message.contact_id is distinct from addressee then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  select i.* into strict instance from messaging.instances i where i.id = message.instance_id;
  decided := case
    -- A delivery event has proved that it left.
    when message.status not in ('queued', 'sending') or message.ladder->'rungs' is null then null
    when refusal is null then messaging.decide_ladder(instance, message.contact_id, message.ladder)
    else messaging.climb_ladder(instance, message, refusal)
  end;
  if decided is null then
    return '{"outcome": "stands"}';
  end if;
  is_changed := message.ladder <> decided or refusal is not null;
  message.ladder := decided;
  if refusal is not null then
    message.attempts := least(message.attempts + 1, 32767);
    message.last_error := refusal;
  end if;
  if decided ? 'isExhausted' then
    perform messaging.go_on_under_claim(message, null) where is_changed;
    return jsonb_build_object('outcome', 'refused', 'rungs', decided->'passed');
  end if;
  if decided->'shown'->>'sentAs' = 'invitation' then
    delete from messaging.message_queue q where q.message_id = message.id;
    if queued.counted_on is not null then
      -- The invitation takes a place of the day, and the message one when it leaves.
      perform from messaging.pacing p where p.instance_id = instance.id for no key update;
      perform messaging.release_day_quota(array[queued]);
    end if;
    perform messaging.await_reply(
      instance, message, decided, message.mode = 'queued' and queued.lane = 'unpaced'
    );
    perform messaging.release_instances(array[jsonb_populate_record(
      null::messaging.settlement,
      jsonb_build_object(
        'message_id', message.id, 'instance_id', message.instance_id, 'lane', queued.lane,
        'outcome', 'accepted', 'is_retried', false, 'holds_instance', false
      )
    )]);
    select m.ladder into decided from messaging.messages m where m.id = message.id;
    return jsonb_build_object('outcome', 'waits', 'shown', decided->'shown');
  end if;
  if is_changed then
    perform messaging.go_on_under_claim(
      message,
      case when refusal is not null then (request->>'leaseSeconds')::double precision end
    );
  end if;
  return jsonb_build_object(
    'outcome', 'send',
    'sentAs', decided->'shown'->'sentAs',
    'shown', decided->'shown',
    'template', case when decided->'shown'->>'sentAs' = 'template' then (
      select jsonb_build_object(
        'messageType', 'template', 'message', r.rung->'message', 'content', r.rung->'content'
      )
      from (select decided->'rungs'->(decided->>'place')::integer as rung) as r
    ) end,
    'file', case when decided->'shown'->>'sentAs' = 'template' then (
      select messaging.file_to_send((r.rung->>'mediaId')::uuid)
      from (select decided->'rungs'->(decided->>'place')::integer as rung) as r
      where r.rung->>'mediaId' is not null
    ) end
  );
end;
$$;
