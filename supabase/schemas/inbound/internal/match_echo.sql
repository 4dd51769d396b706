-- Decides whether an echo is of a message of ours. Some gateways report what we send through their API
-- as typed on the phone, even before they answer the call.
-- An echo matches an outbound message to that contact with the same words that is in flight, or has
-- been unconfirmed for less than 15 minutes. A message in flight keeps the echo until its own outcome
-- tells whose it was (see resolve_pending_echo). Otherwise the echo confirms the oldest unconfirmed
-- message.
-- Media without a caption have no words: they match only a message in flight. A reaction matches one to the
-- same message by the same emoji, whichever way the emoji is colored.
-- Returns whether the echo is ours, as far as is known.
-- Plans must not depend on statistics: "offset 0" reads the unsent messages of this contact by
-- messages_history, where the instance and the age would suggest all that the instance has lately stored.
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
      and m.created_at > clock - interval '2 days'
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
