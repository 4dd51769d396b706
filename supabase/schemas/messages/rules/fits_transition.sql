-- Whether an event fits the condition of message_transition: `told_id` is its provider message id, `known_id` the one
-- that the message has. Whether a worker has the message in hand (claimed_new_id) is the caller's to see.
create or replace function messaging.fits_transition(condition text, known_id text, told_id text)
returns boolean language sql immutable
return case condition
  when 'always' then true
  when 'new_id' then coalesce(known_id != told_id, true)
  when 'claimed_new_id' then coalesce(known_id != told_id, true)
  when 'same_id' then coalesce(known_id = told_id, true)
  else false
end;
