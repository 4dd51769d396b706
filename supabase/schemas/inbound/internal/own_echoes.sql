-- Decides whether an echo is of a message of ours. Some gateways report what we send through their API
-- as typed on the phone, even before they answer the call.
-- An echo matches an outbound message to that contact with the same words that is in flight, or has
-- been unconfirmed for less than 15 minutes; it may have waited for weeks until it left. A message in flight
-- keeps the echo until its own outcome tells whose it was (see resolve_pending_echo). Otherwise the echo
-- confirms the oldest unconfirmed message.
-- Media without a caption have no words: they match only a message in flight. A reaction matches one to the
-- same message by the same emoji, whichever way the emoji is colored.
-- Returns whether the echo is ours, as far as is known.
-- Plans must not depend on statistics: "offset 0" reads the unsent messages of this contact by
-- messages_history, where the instance and the state would suggest all that the instance has unsent.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.match_echo(instance_id uuid, contact_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  words constant text := btrim(regexp_replace(event->>'message', '\s+', ' ', 'g'));
  candidate record;
begin
  -- A candidate may be settled before it is locked: then the next one is tried.
  for round in 1..10 loop
    select m.id, q.claim_token is not null as is_in_flight,
      q.echo->>'providerMessageId' as echoed_id
    into candidate
    from (
      select u.* from messaging.messages u
      where u.contact_id = any (messaging.merged_contact_ids(match_echo.contact_id)) and u.sent_at is null
      offset 0
    ) as m
    left join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.instance_id = match_echo.instance_id
      and m.direction = 'outbound'
      and m.status in ('queued', 'sending', 'unconfirmed')
      -- A retried message still has the id of the attempt that failed.
      and m.provider_message_id is distinct from event->>'providerMessageId'
      and (
        (
          q.claim_token is not null
          and (q.echo is null or q.echo->>'providerMessageId' = event->>'providerMessageId')
        )
        or (
          (m.message is not null or m.message_type = 'reaction')
          and m.unconfirmed_at > clock - interval '15 minutes'
        )
      )
      -- Gateways trim whitespace. Options may stand around the words, as text or as buttons. What has no
      -- words of its own, such as a location, is told with some.
      and (
        btrim(regexp_replace(m.message, '\s+', ' ', 'g')) is not distinct from words
        or (
          m.content ? 'rendering'
          and strpos(words, btrim(regexp_replace(m.message, '\s+', ' ', 'g'))) > 0
        )
        or (m.message is null and m.message_type = event->>'messageType')
      )
      and (
        m.message_type <> 'reaction' or replace((m.content->'reaction')::text, e'\ufe0f', '')
          is not distinct from replace((event->'content'->'reaction')::text, e'\ufe0f', '')
      )
      -- A gateway sends every audio file as a voice message.
      and (
        m.message is not null or m.message_type = event->>'messageType'
        or messaging.media_kind(m.message_type) = messaging.media_kind(event->>'messageType')
      )
    order by q.echo is null, q.claim_token is null, m.unconfirmed_at, m.created_at
    limit 1;
    if not found then
      return false;
    end if;
    if not candidate.is_in_flight then
      if messaging.confirm_by_echo(candidate.id, event) then
        return true;
      end if;
    elsif candidate.echoed_id is not null then
      return true;
    else
      update messaging.message_queue q set echo = event
      where q.message_id = candidate.id and q.claim_token is not null and q.echo is null;
      if found then
        return true;
      end if;
    end if;
  end loop;
  return false;
end;
$$;

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

-- Merges the duplicates of messages whose provider ids have just become known: under the same id a
-- gateway had reported an echo, stored as typed on the phone or taken as the proof of another message.
-- The duplicate is deleted, and its delivery becomes the message's. Its placeholder contact, known by
-- a hidden address alone, is merged into the message's contact. A message that the echo had confirmed
-- wrongly becomes `unconfirmed` again.
create or replace function messaging.merge_echo_duplicates(message_ids uuid[])
returns void language plpgsql set search_path = '' as $$
declare
  duplicate record;
  contact messaging.contacts;
  placeholder messaging.contacts;
begin
  for duplicate in
    select m.id, m.contact_id, m.provider_message_id, e.id as echo_id,
      e.contact_id as echo_contact_id, e.status, e.confirmed_by_echo, e.failed_at, e.last_error,
      coalesce(e.read_at, e.delivered_at) as arrived_at,
      case when e.pricing->>'source' = 'channel' then e.pricing - 'market' end as pricing
    from messaging.messages m
    -- "offset 0" keeps the plan from beginning with all echoes, of which statistics may know none.
    cross join lateral (
      select told.* from messaging.messages told
      where told.instance_id = m.instance_id
        and told.provider_message_id = m.provider_message_id
        and told.id <> m.id
        and (told.is_typed_on_phone or told.confirmed_by_echo)
      offset 0
    ) as e
    where m.id = any (message_ids)
  loop
    perform messaging.note_contact(duplicate.contact_id);
    perform messaging.note_contact(duplicate.echo_contact_id);
    if duplicate.confirmed_by_echo then
      update messaging.messages e
      set status = 'unconfirmed', unconfirmed_at = clock_timestamp(), provider_message_id = null,
        confirmed_by_echo = false, sent_at = null, delivered_at = null, read_at = null,
        failed_at = null, pricing = null, estimated_cost = null, cost_currency = null,
        is_free_service = null,
        last_error = jsonb_build_object(
          'code', 'outcome_unknown', 'message', 'the echo that confirmed it was of another message'
        )
      where e.id = duplicate.echo_id;
    else
      update messaging.messages e set deleted_at = clock_timestamp() where e.id = duplicate.echo_id;
      delete from messaging.messages e where e.id = duplicate.echo_id;
    end if;
    if duplicate.status in ('delivered', 'read') then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, duplicate.status, duplicate.arrived_at, null,
        duplicate.pricing
      );
    end if;
    if duplicate.status = 'failed' then
      perform messaging.advance_message(
        duplicate.id, duplicate.provider_message_id, 'failed', duplicate.failed_at, duplicate.last_error,
        null
      );
    end if;
    continue when duplicate.confirmed_by_echo;
    select c.* into contact from messaging.contacts c where c.id = duplicate.contact_id;
    select c.* into placeholder from messaging.contacts c
    where c.id = duplicate.echo_contact_id and c.id <> contact.id and c.phone is null;
    if found then
      -- A placeholder contact without any other message was paused by our own words.
      delete from messaging.agent_pauses p
      where p.contact_id = placeholder.id
        and not exists (select from messaging.messages m where m.contact_id = placeholder.id);
      perform messaging.merge_contacts(contact, placeholder);
    end if;
  end loop;
end;
$$;

-- Confirms an unconfirmed message by an echo of its words: the echo gives its provider id and the time
-- at which it was sent. Returns false where the message's state has changed meanwhile.
create or replace function messaging.confirm_by_echo(message_id uuid, echo jsonb)
returns boolean language plpgsql set search_path = '' as $$
begin
  if not messaging.advance_message(
    confirm_by_echo.message_id, echo->>'providerMessageId', 'sent', messaging.event_instant(echo), null,
    null
  ) then
    return false;
  end if;
  update messaging.messages m set confirmed_by_echo = true where m.id = confirm_by_echo.message_id;
  perform messaging.apply_unmatched_statuses(array[confirm_by_echo.message_id]);
  return true;
end;
$$;
