set local check_function_bodies = off;
set local lock_timeout = '3s';

-- A transfer to nobody.
alter table messaging.chat_transfer_log alter column to_operator_id drop not null;

-- A conversation of an instance. An unknown id and one of another tenant are one error: MI032.
create or replace function messaging.find_conversation(instance_id uuid, conversation_id uuid)
returns messaging.conversations
language plpgsql
stable
set search_path = ''
as $$
declare
  conversation messaging.conversations;
begin
  select c.* into conversation
  from messaging.conversations c
  where c.id = find_conversation.conversation_id
    and c.instance_id = find_conversation.instance_id;
  if not found then
    raise exception using errcode = 'MI032', message = 'conversation_not_found';
  end if;
  return conversation;
end;
$$;
revoke all on function messaging.find_conversation(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.find_conversation(uuid, uuid) to service_role;

-- Finds the contact of a phone on an instance, or creates it with origin `api` (specification, section
-- 1, rule 1). `phone` may be an address that is no number, such as a user id: its new contact has no
-- phone, and messages go to that address. Looks by identity key, then by proven address. Simultaneous
-- calls get the same contact: the unique index decides. A new contact waits for events under way that may
-- show whose address the phone is. The contact cannot be deleted until the caller commits.
-- Records no event: see resolve_contact. A caller of its own calls record_new_contacts.
-- Errors: 40001 where the contact was merged since it was found; the call must be repeated.
create or replace function messaging.find_or_add_contact(
  instance_id uuid,
  phone text,
  out contact messaging.contacts,
  out is_new boolean
)
language plpgsql
set search_path = ''
as $$
begin
  is_new := false;
  contact := messaging.find_contact(instance_id, phone);
  if contact.id is null then
    perform messaging.lock_addresses(instance_id, array[phone]);
    contact := messaging.find_contact(instance_id, phone);
  end if;
  if contact.id is null then
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (
      find_or_add_contact.instance_id,
      case when find_or_add_contact.phone ~ '^[0-9]{8,15}$' then find_or_add_contact.phone end,
      messaging.phone_identity_key(find_or_add_contact.phone), 'api'
    )
    on conflict on constraint contacts_identity do nothing
    returning * into contact;
    is_new := contact.id is not null;
    if is_new then
      if contact.phone is null then
        perform messaging.prove_addresses(
          instance_id, contact.id, array[find_or_add_contact.phone]
        );
      end if;
      return;
    end if;
    contact := messaging.find_contact(instance_id, phone);
  end if;
  -- Nothing may be written to a contact that was merged meanwhile: it would be lost.
  perform from messaging.contacts c where c.id = contact.id for key share;
  if not found then
    raise exception using errcode = 'serialization_failure', message = 'merged meanwhile';
  end if;
end;
$$;
revoke all on function messaging.find_or_add_contact(uuid, text) from public, anon, authenticated;
grant execute on function messaging.find_or_add_contact(uuid, text) to service_role;

-- The contact that a call is about: `target` names it by exactly one of phone, contactId and userId (the
-- official channel's id of a person who may hide the number). A phone or a user id that no contact has
-- makes one, with origin `api`. The contact cannot be deleted until the caller commits.
-- Errors: MI031 for a contactId that the instance does not have; 40001 as resolve_contact.
create or replace function messaging.resolve_contact_target(instance_id uuid, target jsonb)
returns messaging.contacts
language plpgsql
set search_path = ''
as $$
declare
  contact messaging.contacts;
  user_id constant text := target->>'userId';
begin
  if target->>'contactId' is not null then
    select c.* into contact
    from messaging.contacts c
    where c.id = (target->>'contactId')::uuid and c.instance_id = resolve_contact_target.instance_id
    for key share;
    if not found then
      raise exception using errcode = 'MI031', message = 'contact_not_found';
    end if;
    return contact;
  end if;
  select (r.contact).* into contact
  from messaging.resolve_contact(instance_id, coalesce(user_id, target->>'phone')) r;
  return contact;
end;
$$;
revoke all
on function messaging.resolve_contact_target(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.resolve_contact_target(uuid, jsonb) to service_role;

-- Takes a conversation from its operator, logs and notes it as a transfer to nobody, and takes the contact
-- out of the operator's portfolio, which would hide it from the others. `conversation`: as it is now,
-- locked by the caller, with an operator.
create or replace function messaging.transfer_to_nobody(conversation messaging.conversations)
returns void
language plpgsql
set search_path = ''
as $$
declare
  before constant jsonb := messaging.conversation_state(conversation.id);
begin
  update messaging.conversations c
  set assigned_to = null, updated_at = now()
  where c.id = conversation.id;
  insert into messaging.chat_transfer_log
    (instance_id, conversation_id, from_operator_id, to_operator_id)
  values (conversation.instance_id, conversation.id, conversation.assigned_to, null);
  insert into messaging.internal_notes (instance_id, conversation_id, note, is_automatic)
  select conversation.instance_id, conversation.id,
    format('Conversa transferida de %s para ninguém.', o.name), true
  from messaging.operators o
  where o.id = conversation.assigned_to;
  delete from messaging.portfolios p where p.contact_id = conversation.contact_id;
  perform messaging.record_conversation_changes(conversation, before);
  perform messaging.touch_contacts(array[conversation.contact_id]);
end;
$$;
revoke all
on function messaging.transfer_to_nobody(messaging.conversations)
from public, anon, authenticated;
grant execute on function messaging.transfer_to_nobody(messaging.conversations) to service_role;

-- conversations-api: the internal notes of a conversation, oldest first, a page at a time.
-- `request`: instanceId, conversationId, limit, `after` as returned in `next`. Returns {items, next}.
-- Errors: MI014, MI032.
create or replace function public.list_conversation_notes(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  page constant record := messaging.begin_page(request);
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  conversation constant messaging.conversations := messaging.find_conversation(
    instance.id, (request->>'conversationId')::uuid
  );
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', n.created_at, 'id', n.id,
        'record', jsonb_build_object(
          'noteId', n.id,
          'note', n.note,
          'createdAt', messaging.iso_in_zone(n.created_at, instance.time_zone)
        )
      )
      from messaging.internal_notes n
      where n.conversation_id = conversation.id
        and (n.created_at, n.id) > (page.after_at, page.after_id)
      order by n.created_at, n.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_conversation_notes(jsonb) from public, anon, authenticated;
grant execute on function public.list_conversation_notes(jsonb) to service_role;

-- conversations-api: the transfers of a conversation from one operator to another or to nobody, oldest
-- first, a page at a time. `request`: instanceId, conversationId, limit, `after` as returned in `next`.
-- Returns {items, next}. Errors: MI014, MI032.
create or replace function public.list_conversation_transfers(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  page constant record := messaging.begin_page(request);
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  conversation constant messaging.conversations := messaging.find_conversation(
    instance.id, (request->>'conversationId')::uuid
  );
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', t.transferred_at, 'id', t.id,
        'record', jsonb_build_object(
          'fromOperatorId', t.from_operator_id,
          'toOperatorId', t.to_operator_id,
          'createdAt', messaging.iso_in_zone(t.transferred_at, instance.time_zone)
        )
      )
      from messaging.chat_transfer_log t
      where t.conversation_id = conversation.id
        and (t.transferred_at, t.id) > (page.after_at, page.after_id)
      order by t.transferred_at, t.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_conversation_transfers(jsonb) from public, anon, authenticated;
grant execute on function public.list_conversation_transfers(jsonb) to service_role;

-- conversations-api unassign: takes a contact's conversation from its operator. That is a transfer to
-- nobody: it is logged, noted, and takes the contact out of the operator's portfolio. Without an operator
-- nothing changes. `request`: instanceId, one of phone, contactId and userId, idempotency. Locks the
-- conversation. Returns the outcome: contactId, assignedTo (NULL), previousAssignedTo; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.unassign_conversation(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := messaging.begin_idempotent(request);
  contact messaging.contacts;
  conversation messaging.conversations;
begin
  if replayed is not null then
    return replayed;
  end if;
  contact := messaging.resolve_contact_target(instance_id, request);
  conversation := messaging.resolve_conversation(instance_id, contact.id);
  select c.* into conversation
  from messaging.conversations c where c.id = conversation.id for no key update;
  if conversation.assigned_to is not null then
    perform messaging.transfer_to_nobody(conversation);
  end if;
  return messaging.keep_outcome(request, jsonb_build_object(
    'contactId', contact.id,
    'assignedTo', null,
    'previousAssignedTo', conversation.assigned_to
  ));
end;
$$;
revoke all on function public.unassign_conversation(jsonb) from public, anon, authenticated;
grant execute on function public.unassign_conversation(jsonb) to service_role;
