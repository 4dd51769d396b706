-- Whether an inbound vote in a poll (`event`) says what the person's newest recorded vote in it of the last day says.
-- Evolution tells a vote as a message and as an update of the poll, each with an id of its own: it is one
-- vote. Somebody who votes anew chooses something else.
-- The caller holds lock_addresses for the event's addresses, so that of two tellings the later one sees the
-- earlier.
create or replace function messaging.repeats_vote(instance_id uuid, event jsonb)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  voter constant jsonb := coalesce(nullif(event->'author', 'null'), '{}');
  person_id uuid;
  chosen jsonb;
begin
  person_id := (messaging.find_contact(instance_id, event->>'address')).id;
  select m.content->'pollVote'->'options' into chosen
  from (
    select v.* from messaging.messages v
    where v.contact_id = person_id
      and v.sent_at > messaging.event_instant(event) - interval '1 day'
    offset 0
  ) as m
  where m.message_type = 'poll_vote'
    and m.direction = 'inbound'
    and m.quoted_provider_message_id = event->>'quotedProviderMessageId'
    and (
      not coalesce((event->>'isGroup')::boolean, false)
      or m.author->>'phone' = voter->>'phone'
      or m.author->>'lid' = voter->>'lid'
      or m.author->>'userId' = voter->>'userId'
    )
  -- An update has no instant of its own, a message one of whole seconds.
  order by m.created_at desc
  limit 1;
  return chosen is not distinct from event->'content'->'pollVote'->'options' and chosen is not null;
end;
$$;
