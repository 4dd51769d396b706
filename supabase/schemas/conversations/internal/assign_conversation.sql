-- Assigns a conversation to an operator (specification, section 3; decisions, section 4), for
-- conversations-api/assign and send-message. `assignment`: assignTo, departmentId, and portfolio, which puts
-- the contact into the operator's portfolio or, false, takes it out of the one that it is in; a transfer that does not
-- say takes it out of the former operator's.
-- Assigning the present operator again changes nothing about the operator. A change of operator writes
-- the transfer log and an automatic note. Each new operator gets an e-mail through the outbox, in the
-- caller's transaction. Locks the conversation. Errors: MI001, MI002.
-- Over 80 lines: what one assignment changes, table by table.
create or replace function messaging.assign_conversation(
  instance messaging.instances, contact messaging.contacts, conversation messaging.conversations,
  assignment jsonb
) returns jsonb language plpgsql set search_path = '' as $$
declare
  operator messaging.operators := messaging.find_operator(instance.workspace_id, assignment->>'assignTo');
  previous messaging.operators;
  department uuid := (assignment->>'departmentId')::uuid;
  previous_id uuid;
  is_transfer boolean;
  before jsonb;
begin
  if department is not null and not exists (
    select from messaging.departments d
    where d.id = department and d.workspace_id = instance.workspace_id
  ) then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;

  select c.assigned_to into previous_id
  from messaging.conversations c where c.id = conversation.id for no key update;
  before := messaging.conversation_state(conversation.id);
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
  elsif is_transfer or assignment->>'portfolio' is not null then
    delete from messaging.portfolios p
    where p.contact_id = contact.id
      and (p.operator_id <> operator.id or assignment->>'portfolio' is not null);
  end if;

  perform messaging.record_conversation_changes(conversation, before);

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
