-- Whether an inbound vote in a poll (`event`) says what the person's newest recorded vote in it says (see newest_vote).
-- Evolution tells a vote as a message and as an update of the poll, each with an id of its own: it is one
-- vote. Somebody who votes anew chooses something else. A message whose vote Evolution could not decrypt
-- (isUnreadable) says nothing beside an update of the last ten minutes.
create or replace function messaging.repeats_vote(
  vote messaging.messages, event jsonb, clock timestamptz
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  if vote.id is null then
    return false;
  elsif coalesce((event->>'isUnreadable')::boolean, false) then
    return vote.created_at > clock - interval '10 minutes';
  end if;
  return vote.content->'pollVote'->'options' = event->'content'->'pollVote'->'options';
end;
$$;
