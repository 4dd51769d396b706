-- A cursor of the feed: the number after which to go on, sealed with the instance's key, so that no
-- number can be made up and no cursor of another instance is taken. 21 bytes in base64url.
create or replace function messaging.seal_event_cursor(sequence bigint, cursor_key uuid)
returns text
language sql
immutable
parallel safe
set search_path = ''
as $$
  select translate(
    encode(
      int8send(sequence)
        || substring(sha256(uuid_send(cursor_key) || int8send(sequence)) from 1 for 13),
      'base64'
    ),
    '+/', '-_'
  );
$$;
