-- conversations-api agent-pause: the agent's pause for a contact. For an unknown phone or user id
-- contactId is NULL and paused is false. Writes nothing. `request`: instanceId,
-- phone | contactId | userId. Errors: MI031.
create or replace function public.get_agent_pause(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
begin
  return messaging.describe_agent_pause(
    instance, (messaging.find_recipient(instance.id, request)).id
  );
end;
$$;

-- conversations-api agent-pause: pauses the agent for a contact for `minutes` from now, in place of
-- any other pause; or ends the pause and gives the agent all answers of an hour again.
-- `request`: instanceId, phone | contactId | userId, paused, minutes, idempotency. Creates a missing contact.
-- Returns the outcome: contactId, paused, aiAgentPausedUntil; or {replayed}. Errors: MI007, MI008, MI031.
create or replace function public.set_agent_pause(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  known_contact_id uuid;
  paused_until timestamptz;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into known_contact_id
  from messaging.resolve_recipient(instance.id, request) r;
  if (request->>'paused')::boolean then
    insert into messaging.agent_pauses (contact_id, instance_id, paused_until)
    values (
      known_contact_id, instance.id,
      clock_timestamp() + make_interval(mins => (request->>'minutes')::integer)
    )
    on conflict on constraint agent_pauses_pkey do update set paused_until = excluded.paused_until;
    perform messaging.record_agent_pauses(array[known_contact_id]);
    perform messaging.note_contact(known_contact_id);
  else
    update messaging.agent_sessions s
    set answered_at = '{}', updated_at = now()
    from messaging.conversations c
    where c.contact_id = known_contact_id and s.conversation_id = c.id and s.answered_at <> '{}';
    delete from messaging.agent_pauses p where p.contact_id = known_contact_id
    returning p.paused_until into paused_until;
    if found then
      perform messaging.note_contact(known_contact_id);
    end if;
    -- A pause that has ended by time is not resumed by the call.
    if paused_until > clock_timestamp() then
      perform messaging.record_event(
        instance.id, known_contact_id, 'agent.resumed',
        jsonb_build_object('contactId', known_contact_id, 'pausedUntil', null)
      );
    end if;
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, messaging.describe_agent_pause(instance, known_contact_id));
end;
$$;

-- Whether the agent is silent towards a contact, and until when, as conversations-api tells it.
create or replace function messaging.describe_agent_pause(
  instance messaging.instances, contact_id uuid
) returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'contactId', describe_agent_pause.contact_id,
    'paused', p.paused_until is not null,
    'aiAgentPausedUntil', messaging.iso_in_zone(p.paused_until, instance.time_zone)
  )
  from (values (true)) as always
  left join messaging.agent_pauses p
    on p.contact_id = describe_agent_pause.contact_id and p.paused_until > clock_timestamp();
$$;
