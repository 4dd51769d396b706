-- Whether an event is of a kind that record_plain_events takes: an inbound message, or a delivery event
-- that neither fails a message nor repeats its words.
create or replace function messaging.is_plain_event(event jsonb)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return coalesce(
    case event->>'kind'
      when 'message' then event->>'origin' = 'inbound'
        and (event->>'mayBeOurs')::boolean is not true
        and (event->>'isEdit')::boolean is not true
      when 'status' then event->>'status' in ('sent', 'delivered', 'read') and event->'sent' is null
    end,
    false
  );
end;
$$;
