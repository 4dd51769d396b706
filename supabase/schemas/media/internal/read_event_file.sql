-- The file of a message event that is to be fetched: {source, mimeType, sha256, filename, transcript}. NULL for an
-- event without one, and for one of a kind that has none.
create or replace function messaging.read_event_file(event jsonb)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if jsonb_typeof(event->'file') = 'object'
    and messaging.media_kind(event->>'messageType') is not null then
    return event->'file';
  end if;
  return null;
end;
$$;
