-- The newest recorded vote of the last day of the person of an inbound vote in a poll (`event`), in the same poll; NULL
-- for none. The caller holds lock_addresses for the event's addresses, so that of two tellings the later one sees the
-- earlier.
create or replace function messaging.newest_vote(instance_id uuid, event jsonb)
returns messaging.messages language plpgsql stable set search_path = '' as $$
declare
  voter constant jsonb := coalesce(nullif(event->'author', 'null'), '{}');
  person_id uuid;
  vote messaging.messages;
begin
  person_id := (messaging.find_contact(instance_id, event->>'address')).id;
  select m.* into vote
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
  return vote;
end;
$$;
