-- resolve_send: lets a ladder's templates have files as their headers: they must be there (see lock_media_to_send), and stay
-- until the message has left, however it goes. That is bounded by 30 days after the instant at which the call lets it
-- leave or expire. `delivery` as accept_message's. Locks the files in the order of their ids.
-- Errors: MI051 to MI054.
create or replace function messaging.hold_ladder_files(
  instance_id uuid, ladder jsonb, delivery jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  latest constant timestamptz := interval '30 days' + greatest(
    messaging.earliest_departure(delivery, clock_timestamp()),
    (nullif(delivery->'timing', 'null')->>'expiresAt')::timestamptz
  );
  file_id uuid;
begin
  foreach file_id in array messaging.ladder_files(ladder) loop
    perform messaging.lock_media_to_send(hold_ladder_files.instance_id, file_id);
    update messaging.media m
    set held_until = greatest(m.held_until, latest),
      expires_at = case when m.expires_at is not null then greatest(m.expires_at, latest) end
    where m.id = file_id;
  end loop;
end;
$$;
