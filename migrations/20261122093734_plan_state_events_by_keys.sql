set local check_function_bodies = off;

-- What contact.updated compares: every field of a contact that the API shows, by the API's names, and
-- its tags. The caller holds the contact locked.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.contact_state(contact_id uuid)
returns jsonb
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select jsonb_build_object(
    'phone', messaging.contact_display_phone(c),
    'name', c.name,
    'email', c.email,
    'company', c.company,
    'jobTitle', c.job_title,
    'notes', c.notes,
    'utmSource', c.utm_source,
    'utmMedium', c.utm_medium,
    'utmCampaign', c.utm_campaign,
    'customLabels', c.custom_labels,
    'isFavorite', c.is_favorite,
    'isArchived', c.is_archived,
    'isBlocked', c.is_blocked,
    'tags', array(
      select t.tag_id from messaging.contact_tags t where t.contact_id = c.id order by t.tag_id
    )
  )
  from messaging.contacts c
  where c.id = contact_state.contact_id;
$$;
revoke all on function messaging.contact_state(uuid) from public, anon, authenticated;
grant execute on function messaging.contact_state(uuid) to service_role;

-- What the events of a conversation compare: its status, and what conversations-api assign changes. The
-- caller holds the conversation locked.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.conversation_state(conversation_id uuid)
returns jsonb
language sql
stable
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select jsonb_build_object(
    'status', c.status,
    'assignment', jsonb_build_object(
      'assignedTo', c.assigned_to,
      'departmentId', c.department_id,
      'portfolio', exists (
        select from messaging.portfolios p
        where p.contact_id = c.contact_id and p.operator_id = c.assigned_to
      )
    )
  )
  from messaging.conversations c
  where c.id = conversation_state.conversation_id;
$$;
revoke all on function messaging.conversation_state(uuid) from public, anon, authenticated;
grant execute on function messaging.conversation_state(uuid) to service_role;

-- Records agent.paused for contacts whose pause the caller has just begun or prolonged. NULL ids mean
-- none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_agent_pauses(contact_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  if contact_ids is null then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select distinct p.instance_id from messaging.agent_pauses p where p.contact_id = any (contact_ids)
  ));
  insert into messaging.events (instance_id, contact_id, type, data)
  select p.instance_id, p.contact_id, 'agent.paused',
    jsonb_build_object(
      'contactId', p.contact_id,
      'pausedUntil', messaging.iso_in_zone(p.paused_until, i.time_zone)
    )
  from messaging.agent_pauses p
  join messaging.instances i on i.id = any (array[p.instance_id])
  where p.contact_id = any (contact_ids)
  order by p.contact_id;
end;
$$;
revoke all on function messaging.record_agent_pauses(uuid[]) from public, anon, authenticated;
grant execute on function messaging.record_agent_pauses(uuid[]) to service_role;

-- Records contact.updated with the fields that differ from `before`, which is what contact_state said
-- before the change, or those of its members that may have changed; nothing where none does.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_contact_changes(
  instance_id uuid,
  contact_id uuid,
  before jsonb
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  state constant jsonb := messaging.contact_state(contact_id);
  changed constant text[] := array(
    select f.key from jsonb_each(before) as f where f.value <> state->f.key order by f.key
  );
begin
  if changed = '{}' then
    return;
  end if;
  perform messaging.note_contact(contact_id);
  perform messaging.record_event(
    record_contact_changes.instance_id, record_contact_changes.contact_id, 'contact.updated',
    jsonb_build_object(
      'contactId', record_contact_changes.contact_id,
      'phone', state->'phone',
      'name', state->'name',
      'fieldsUpdated', changed
    )
  );
end;
$$;
revoke all
on function messaging.record_contact_changes(uuid, uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.record_contact_changes(uuid, uuid, jsonb) to service_role;

-- Records what has become of a conversation since `before`, which is what conversation_state said then:
-- conversation.assigned where its operator, its department or the operator's portfolio has changed,
-- conversation.status_changed where its status has; nothing where neither has.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_conversation_changes(
  conversation messaging.conversations,
  before jsonb
)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  state constant jsonb := messaging.conversation_state(conversation.id);
  ids constant jsonb := jsonb_build_object(
    'contactId', conversation.contact_id, 'conversationId', conversation.id
  );
begin
  if state <> before then
    perform messaging.note_contact(conversation.contact_id);
  end if;
  if state->'assignment' <> before->'assignment' then
    perform messaging.record_event(
      conversation.instance_id, conversation.contact_id, 'conversation.assigned',
      ids || (state->'assignment') || jsonb_build_object(
        'operatorId', state->'assignment'->'assignedTo',
        'previousAssignedTo', before->'assignment'->'assignedTo'
      )
    );
  end if;
  if state->'status' <> before->'status' then
    perform messaging.record_event(
      conversation.instance_id, conversation.contact_id, 'conversation.status_changed',
      ids || jsonb_build_object('status', state->'status')
    );
  end if;
end;
$$;
revoke all
on function messaging.record_conversation_changes(messaging.conversations, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.record_conversation_changes(messaging.conversations, jsonb)
to service_role;

-- Records instance.held for instances that the caller has just held, or holds for longer, with the end
-- of all that holds them: NULL where they are held until they are released. `reasons`: why, in the order
-- of the instances.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_instance_holds(instance_ids uuid[], reasons text[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  perform messaging.hold_event_floors(instance_ids);
  insert into messaging.events (instance_id, type, data)
  select d.instance_id, 'instance.held',
    jsonb_build_object(
      'heldUntil', messaging.iso_in_zone(
        case when isfinite(hold.ends_at) then hold.ends_at end, i.time_zone
      ),
      'reason', h.reason
    )
  from unnest(instance_ids, reasons) as h(instance_id, reason)
  join messaging.dispatch d on d.instance_id = any (array[h.instance_id])
  join messaging.instances i on i.id = any (array[h.instance_id])
  cross join lateral (
    select greatest(d.hold_until, d.operator_hold_until) as ends_at
  ) as hold;
end;
$$;
revoke all
on function messaging.record_instance_holds(uuid[], text[])
from public, anon, authenticated;
grant execute on function messaging.record_instance_holds(uuid[], text[]) to service_role;

-- Records contact.created for contacts that the caller has just inserted, with the state they have now.
-- NULL ids mean none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_new_contacts(contact_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  if contact_ids is null then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select distinct c.instance_id from messaging.contacts c where c.id = any (contact_ids)
  ));
  insert into messaging.events (instance_id, contact_id, type, data)
  select c.instance_id, c.id, 'contact.created',
    messaging.fit_event_data(
      jsonb_build_object('contactId', c.id, 'phone', c.phone, 'name', c.name)
    )
  from messaging.contacts c
  where c.id = any (contact_ids);
end;
$$;
revoke all on function messaging.record_new_contacts(uuid[]) from public, anon, authenticated;
grant execute on function messaging.record_new_contacts(uuid[]) to service_role;

-- Records template.status_changed for templates whose status at the provider the caller has just changed:
-- one event for the instance that a template belongs to, and one for each instance of the workspace
-- where it belongs to the workspace alone. NULL ids mean none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_template_changes(template_ids uuid[])
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  if template_ids is null then
    return;
  end if;
  perform messaging.hold_event_floors(array(
    select distinct i.id
    from messaging.message_templates t
    join messaging.instances i
      on i.workspace_id = t.workspace_id and i.id = coalesce(t.instance_id, i.id)
    where t.id = any (template_ids)
  ));
  insert into messaging.events (instance_id, type, data)
  select i.id, 'template.status_changed',
    messaging.fit_event_data(jsonb_build_object(
      'templateId', t.id, 'name', t.name, 'language', t.language, 'status', t.provider_status
    ))
  from messaging.message_templates t
  join messaging.instances i
    on i.workspace_id = t.workspace_id and i.id = coalesce(t.instance_id, i.id)
  where t.id = any (template_ids)
  order by t.name, t.language, t.id, i.id;
end;
$$;
revoke all on function messaging.record_template_changes(uuid[]) from public, anon, authenticated;
grant execute on function messaging.record_template_changes(uuid[]) to service_role;
