-- Records an agent's answer in one transaction: its turn, and its messages, each as accept_message records it.
-- One leaves after the other: none is claimed while the one before it still has to leave, nor the first while
-- what waited for the contact's answer does (see last_released_message).
-- What of it still waits when a pause begins is not sent: its purpose tells it from what callers send as the agent.
-- `request` as of accept_message, with `messages` in the place of `message`, at least one. The delivery is deferred.
-- Returns {messageIds}, in order. Locks and errors are accept_message's.
create or replace function public.accept_answer(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  call jsonb := request - 'messages';
  draft jsonb;
  accepted jsonb;
  accepted_id uuid;
  before_id uuid;
  message_ids uuid[] := '{}';
begin
  for draft in select m.value from jsonb_array_elements(request->'messages') as m loop
    accepted := public.accept_message(
      call || jsonb_build_object('message', draft || '{"purpose": "agent_answer"}')
    );
    accepted_id := accepted->>'messageId';
    before_id := case
      when message_ids <> '{}' then message_ids[cardinality(message_ids)]
      else messaging.last_released_message((accepted->>'contactId')::uuid, clock_timestamp())
    end;
    if before_id is not null then
      update messaging.message_queue q set goes_after = before_id where q.message_id = accepted_id;
    end if;
    message_ids := message_ids || accepted_id;
    call := jsonb_set(call, '{agent,isContinued}', 'true');
  end loop;
  return jsonb_build_object('messageIds', to_jsonb(message_ids));
end;
$$;

-- The last of a contact's messages that its answer has released (see release_waiting_messages) and that are still
-- to leave; NULL for none. One that will not leave within a minute, such as at night, holds up nobody.
create or replace function messaging.last_released_message(contact_id uuid, clock timestamptz)
returns uuid language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return (
    select m.id
    from messaging.messages m
    join messaging.message_queue q on q.message_id = any (array[m.id])
    where m.contact_id = last_released_message.contact_id
      and m.ladder is not null and m.status = 'queued'
      and m.ladder->'shown' ? 'invitationId'
      and q.scheduled_at < clock + interval '1 minute'
    order by m.created_at desc, m.id desc
    limit 1
  );
end;
$$;
