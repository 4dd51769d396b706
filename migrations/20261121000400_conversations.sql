-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/conversations/internal/add_internal_note.sql
-- A note on a conversation, for operators' eyes. Returns its id.
create or replace function messaging.add_internal_note(
  instance_id uuid,
  conversation_id uuid,
  note text
)
returns uuid
language sql
set search_path = ''
as $$
  insert into messaging.internal_notes (instance_id, conversation_id, note)
  values (add_internal_note.instance_id, add_internal_note.conversation_id, add_internal_note.note)
  returning id;
$$;
revoke all
on function messaging.add_internal_note(uuid, uuid, text)
from public, anon, authenticated;
grant execute on function messaging.add_internal_note(uuid, uuid, text) to service_role;

-- source: supabase/schemas/conversations/internal/assign_conversation.sql
-- Assigns a conversation to an operator (specification, section 3; decisions, section 4), for
-- conversations-api/assign and send-message. `assignment`: assignTo, portfolio, departmentId.
-- Assigning the present operator again changes nothing about the operator. A change of operator writes
-- the transfer log and an automatic note. Each new operator gets an e-mail through the outbox, in the
-- caller's transaction. Locks the conversation. Errors: MI001, MI002.
create or replace function messaging.assign_conversation(
  instance messaging.instances,
  contact messaging.contacts,
  conversation messaging.conversations,
  assignment jsonb
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  operator messaging.operators := messaging.find_operator(instance.workspace_id, assignment->>'assignTo');
  previous messaging.operators;
  department uuid := (assignment->>'departmentId')::uuid;
  previous_id uuid;
  is_transfer boolean;
begin
  if department is not null and not exists (
    select from messaging.departments d
    where d.id = department and d.workspace_id = instance.workspace_id
  ) then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;

  select c.assigned_to into previous_id
  from messaging.conversations c where c.id = conversation.id for no key update;
  is_transfer := previous_id is not null and previous_id <> operator.id;

  update messaging.conversations c
  set assigned_to = operator.id,
    department_id = coalesce(department, c.department_id),
    updated_at = now()
  where c.id = conversation.id
  returning c.department_id into department;

  if is_transfer then
    select o.* into previous from messaging.operators o where o.id = previous_id;
    insert into messaging.chat_transfer_log
      (instance_id, conversation_id, from_operator_id, to_operator_id)
    values (instance.id, conversation.id, previous.id, operator.id);
    insert into messaging.internal_notes (instance_id, conversation_id, note, is_automatic)
    values (
      instance.id, conversation.id,
      format('Conversa transferida de %s para %s.', previous.name, operator.name), true
    );
  end if;

  if coalesce((assignment->>'portfolio')::boolean, false) then
    insert into messaging.portfolios (contact_id, instance_id, operator_id)
    values (contact.id, instance.id, operator.id)
    on conflict on constraint portfolios_pkey
    do update set operator_id = excluded.operator_id, created_at = now()
    where portfolios.operator_id <> excluded.operator_id;
  elsif is_transfer then
    delete from messaging.portfolios p where p.contact_id = contact.id and p.operator_id <> operator.id;
  end if;

  if previous_id is distinct from operator.id then
    insert into messaging.outbox (workspace_id, kind, payload)
    values (
      instance.workspace_id, 'assignment_email',
      jsonb_build_object(
        'instanceId', instance.id,
        'operatorName', operator.name,
        'operatorEmail', operator.email,
        'contactName', contact.name,
        'contactPhone', coalesce(messaging.contact_display_phone(contact), messaging.contact_send_address(contact, null)),
        'instancePhone', instance.connected_phone
      )
    );
  end if;

  return jsonb_build_object(
    'contactId', contact.id,
    'assignedTo', operator.id,
    'previousAssignedTo', previous_id,
    'portfolio', exists (
      select from messaging.portfolios p
      where p.contact_id = contact.id and p.operator_id = operator.id
    ),
    'transferred', is_transfer,
    'departmentId', department
  );
end;
$$;
revoke all
on function messaging.assign_conversation(
  messaging.instances,
  messaging.contacts,
  messaging.conversations,
  jsonb
)
from public, anon, authenticated;
grant execute
on function messaging.assign_conversation(
  messaging.instances,
  messaging.contacts,
  messaging.conversations,
  jsonb
)
to service_role;

-- source: supabase/schemas/conversations/internal/resolve_conversation.sql
-- The contact's one conversation, created `open` with the first operation that needs it.
create or replace function messaging.resolve_conversation(instance_id uuid, contact_id uuid)
returns messaging.conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation messaging.conversations;
begin
  select c.* into conversation
  from messaging.conversations c
  where c.contact_id = resolve_conversation.contact_id;
  if found then
    return conversation;
  end if;
  insert into messaging.conversations (instance_id, contact_id)
  values (resolve_conversation.instance_id, resolve_conversation.contact_id)
  on conflict do nothing
  returning * into conversation;
  if conversation.id is null then
    select c.* into conversation
    from messaging.conversations c
    where c.contact_id = resolve_conversation.contact_id;
  end if;
  return conversation;
end;
$$;
revoke all on function messaging.resolve_conversation(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.resolve_conversation(uuid, uuid) to service_role;

-- source: supabase/schemas/conversations/rpc/note_conversation.sql
-- conversations-api note (specification 4.1): an internal note, never sent to the customer.
-- `request`: instanceId, phone, note, idempotency.
-- Returns the outcome: contactId, conversationId, noteId; or {replayed}. Errors: MI007, MI008.
create or replace function public.note_conversation(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id
  from messaging.resolve_contact(instance_id, request->>'phone') r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'noteId', messaging.add_internal_note(instance_id, conversation.id, request->>'note')
  );
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.note_conversation(jsonb) from public, anon, authenticated;
grant execute on function public.note_conversation(jsonb) to service_role;

-- source: supabase/schemas/conversations/rpc/set_conversation_status.sql
-- conversations-api status (specification 4.1): any status may follow any other; an internal note is
-- recorded with the change. `request`: instanceId, phone, status, internalNote, idempotency.
-- Returns the outcome: contactId, conversationId, status, noteAdded; or {replayed}.
-- Errors: MI007, MI008.
create or replace function public.set_conversation_status(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact_id uuid;
  conversation messaging.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).id into contact_id
  from messaging.resolve_contact(instance_id, request->>'phone') r;
  conversation := messaging.resolve_conversation(instance_id, contact_id);
  update messaging.conversations c
  set status = request->>'status', updated_at = now()
  where c.id = conversation.id;
  if request->>'internalNote' is not null then
    perform messaging.add_internal_note(instance_id, conversation.id, request->>'internalNote');
  end if;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'status', request->>'status',
    'noteAdded', request->>'internalNote' is not null
  );
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.set_conversation_status(jsonb) from public, anon, authenticated;
grant execute on function public.set_conversation_status(jsonb) to service_role;
