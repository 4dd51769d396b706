-- Decides whose echo it was that a message kept while it was in flight (see match_echo), now that the
-- message is settled. The id in the answer decides. Without an answer the echo proves that the message
-- left. An echo of something else is recorded as if it came now: it confirms another unconfirmed message,
-- or is a person's. Denials of erased persons were recalled when it came.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.resolve_pending_echo(
  message_id uuid, outcome text, provider_message_id text, echo jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  own messaging.messages;
  instance messaging.instances;
begin
  if resolve_pending_echo.provider_message_id = echo->>'providerMessageId' then
    return;
  end if;
  select m.* into strict own from messaging.messages m where m.id = resolve_pending_echo.message_id;
  select i.* into strict instance from messaging.instances i where i.id = own.instance_id;
  perform messaging.lock_provider_messages(
    array[instance.id], array[echo->>'providerMessageId']
  );
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id
      and m.provider_message_id = echo->>'providerMessageId' and m.id <> own.id
  ) then
    return;
  end if;
  -- Two messages with the same words may each keep the other's echo. A message that is being settled
  -- (its row is locked) resolves its echo itself.
  update messaging.message_queue q
  set echo = null
  where q.ctid = any (array(
    select w.ctid
    from messaging.messages m
    join messaging.message_queue w on w.message_id = any (array[m.id])
    where m.instance_id = own.instance_id and m.contact_id = own.contact_id and m.sent_at is null
      and w.echo->>'providerMessageId' = resolve_pending_echo.provider_message_id
    for no key update of w skip locked
  ));
  if outcome <> 'unknown' and echo->>'kind' = 'status' then
    perform messaging.record_status_event(instance.id, echo);
  elsif outcome <> 'unknown' and echo->>'kind' = 'reaction' then
    perform messaging.record_reaction(instance, echo);
  elsif outcome <> 'unknown' then
    perform messaging.take_no_denials(echo);
    perform messaging.record_message_event(instance, echo);
  else
    perform messaging.confirm_by_echo(resolve_pending_echo.message_id, echo);
  end if;
end;
$$;

-- Says for known_denials that no person of this event is known to have denied: for an event that a call
-- has recalled the denials of before, and that is recorded by one which cannot be repeated with hashes, because it
-- settles messages of many instances.
create or replace function messaging.take_no_denials(event jsonb)
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.take_denial_hashes(jsonb_build_object('denialHashes', (
    select jsonb_object_agg(known.identity, null)
    from unnest(messaging.denial_identities(
      array[event->>'address'] || array(
        select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
      )
    )) as known(identity)
  )));
end;
$$;
