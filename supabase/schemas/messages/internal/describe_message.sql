-- The one record of a message, sent or received, with its contact, as messages-api reports it. A claim counts as
-- `sending`; what waits says when it may leave now, and what holds it (see expected_departure).
-- For a message that is known not to wait, message_record alone says the same without reading anything.
create or replace function messaging.describe_message(message messaging.messages)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  state record;
  shown messaging.messages := messaging.message_after_merge(message);
begin
  select i.time_zone, q.claim_token is not null as is_claimed, expected.*
  into strict state
  from messaging.instances i
  left join messaging.message_queue q on q.message_id = message.id
  left join lateral (
    select true as is_waiting, e.leaves_at, e.held_by
    from messaging.dispatch d
    cross join lateral messaging.expected_departure(q, message, i, d) as e
    where d.instance_id = i.id and q.message_id is not null and q.claim_token is null
  ) as expected on true
  where i.id = message.instance_id;
  if state.is_waiting then
    shown.scheduled_for := state.leaves_at;
    shown.held_by := state.held_by;
  end if;
  if message.media_id is null then
    return messaging.message_record(shown, state.time_zone, state.is_claimed)
      || messaging.read_message_contact(shown.contact_id);
  end if;
  return messaging.message_record(shown, state.time_zone, state.is_claimed)
    || messaging.read_message_contact(shown.contact_id)
    || messaging.message_media(message.media_id, message.content)
    || messaging.received_file_error(message);
end;
$$;
