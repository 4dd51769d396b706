-- The purpose of a message as answers show it: the caller's, or `service`. This service's own answer to a
-- keyword is one.
create or replace function messaging.told_purpose(purpose text)
returns text language sql immutable
return case
  when purpose in ('marketing', 'utility', 'authentication') then purpose
  else 'service'
end;
