-- Records who holds a conversation of the official channel: `handled_by` us, channel_agent or other. `reason`:
-- passed or taken (a handover that the channel tells, or that a call has asked for), released (by a call),
-- message (it gave us a message of the contact), standby (it showed us one that another one got), merged.
-- `former` is who held it until then, where the channel says so; `summary` is what the former holder tells of it.
-- What was told before the last decision changes nothing. Tells conversation.control_changed where the holder is
-- another one, or where the channel tells a handover from another one that had not been seen to hold it. Whom the
-- channel hands a conversation has to answer: the agent is asked. Returns whether it was news.
-- Locks the conversation, then as request_agent_reply.
create or replace function messaging.change_control(
  conversation_id uuid, handled_by text, reason text, told_at timestamptz, former text default null,
  summary text default null
) returns boolean language plpgsql set search_path = '' as $$
declare
  before messaging.conversations;
  previous text;
begin
  select c.* into before from messaging.conversations c
  where c.id = change_control.conversation_id for no key update;
  if before.id is null or told_at < before.control_at then
    return false;
  end if;
  previous := case
    when before.handled_by = change_control.handled_by and told_at > before.control_at
      then coalesce(former, before.handled_by)
    when before.handled_by = 'other' then coalesce(former, 'other')
    else before.handled_by
  end;
  update messaging.conversations c
  set handled_by = change_control.handled_by, control_at = told_at
  where c.id = before.id;
  if previous = change_control.handled_by then
    return false;
  end if;
  perform messaging.note_contact(before.contact_id);
  perform messaging.record_event(
    before.instance_id, before.contact_id, 'conversation.control_changed', jsonb_build_object(
      'contactId', before.contact_id,
      'conversationId', before.id,
      'handledBy', change_control.handled_by,
      'previous', previous,
      'reason', reason
    ) || case
      when summary is null then '{}' else jsonb_build_object('summary', summary)
    end
  );
  if change_control.handled_by = 'us' and reason = 'passed' then
    perform messaging.request_agent_reply(i, c.id, before.id, c.last_inbound_at)
    from messaging.contacts c
    join messaging.instances i on i.id = c.instance_id
    where c.id = before.contact_id and c.last_inbound_at is not null;
  end if;
  return true;
end;
$$;
