-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/functions/apply_tags.sql
-- Gives a contact tags by name, creating those that the instance does not have yet, each with a
-- random colour (specification, section 2). Names are compared without regard to case and returned
-- as first written, in the order asked for. NULL names mean none.
create or replace function public.apply_tags(instance_id uuid, contact_id uuid, names jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if names is null or names in ('null', '[]') then
    return jsonb '[]';
  end if;
  -- In one order for everybody, so that two calls with the same tags do not wait for each other's.
  insert into public.tags (instance_id, name, color)
  select apply_tags.instance_id, (array_agg(wanted.name order by wanted.place))[1],
    '#' || lpad(to_hex(floor(random() * 16777216)::integer), 6, '0')
  from jsonb_array_elements_text(names) with ordinality as wanted(name, place)
  group by lower(wanted.name)
  order by lower(wanted.name)
  on conflict do nothing;
  insert into public.contact_tags (contact_id, tag_id)
  select apply_tags.contact_id, t.id
  from public.tags t
  where t.instance_id = apply_tags.instance_id
    and lower(t.name) in (select lower(w.name) from jsonb_array_elements_text(names) as w(name))
  order by t.id
  on conflict do nothing;
  return (
    select jsonb_agg(applied.name order by applied.place)
    from (
      select t.name, min(w.place) as place
      from jsonb_array_elements_text(names) with ordinality as w(name, place)
      join public.tags t
        on t.instance_id = apply_tags.instance_id and lower(t.name) = lower(w.name)
      group by t.name
    ) as applied
  );
end;
$$;
revoke all on function public.apply_tags(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.apply_tags(uuid, uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/remove_tags.sql
-- Takes tags off a contact by name. Returns those really taken off, as first written; the tags
-- themselves stay with the instance.
create or replace function public.remove_tags(instance_id uuid, contact_id uuid, names jsonb)
returns jsonb
language sql
set search_path = ''
as $$
  with removed as (
    delete from public.contact_tags c
    using public.tags t
    where t.instance_id = remove_tags.instance_id
      and c.tag_id = t.id
      and c.contact_id = remove_tags.contact_id
      and lower(t.name) in (
        select lower(w.name)
        from jsonb_array_elements_text(coalesce(nullif(names, 'null'), '[]')) as w(name)
      )
    returning t.name
  )
  select coalesce(jsonb_agg(r.name order by r.name), '[]') from removed r;
$$;
revoke all on function public.remove_tags(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.remove_tags(uuid, uuid, jsonb) to service_role;

-- source: supabase/schemas/functions/merge_labels.sql
-- Labels with changes merged in key by key: a NULL value removes its key, a JSON null as a whole
-- clears them, SQL NULL changes nothing.
create or replace function public.merge_labels(labels jsonb, changes jsonb)
returns jsonb
language sql
immutable parallel safe
set search_path = ''
as $$
  select case
    when changes is null then labels
    when changes = 'null' then '{}'
    else (
      select coalesce(jsonb_object_agg(l.key, l.value), '{}')
      from jsonb_each(labels || changes) as l
      where l.value <> 'null'
    )
  end;
$$;
revoke all on function public.merge_labels(jsonb, jsonb) from public, anon, authenticated;
grant execute on function public.merge_labels(jsonb, jsonb) to service_role;

-- source: supabase/schemas/functions/save_contact.sql
-- contacts-api create and update (specification 4.3; decisions, section 3): creates the contact of a
-- phone or changes the fields that were sent, and adds tags.
-- `request`: instanceId, phone, fields (by the request's names; NULL clears), tags, idempotency.
-- customLabels are merged key by key, a NULL value removes the key.
-- Returns the outcome: action (created | updated), contactId, fieldsUpdated, tagsApplied; or
-- {replayed}. Errors: MI007, MI008, MI020 (customLabels would exceed 64 KiB).
create or replace function public.save_contact(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  fields constant jsonb := request->'fields';
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  found_contact record;
  contact_id uuid;
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  select (r.contact).id as id, r.is_new into found_contact
  from public.resolve_contact(instance_id, request->>'phone') r;
  contact_id := found_contact.id;
  if fields <> '{}' then
    update public.contacts c
    set name = case when fields ? 'name' then nullif(fields->>'name', '') else c.name end,
      is_profile_name = c.is_profile_name and not fields ? 'name',
      email = case when fields ? 'email' then nullif(fields->>'email', '') else c.email end,
      company = case when fields ? 'company' then nullif(fields->>'company', '') else c.company end,
      job_title = case when fields ? 'jobTitle' then nullif(fields->>'jobTitle', '') else c.job_title end,
      notes = case when fields ? 'notes' then nullif(fields->>'notes', '') else c.notes end,
      utm_source = case when fields ? 'utmSource' then nullif(fields->>'utmSource', '') else c.utm_source end,
      utm_medium = case when fields ? 'utmMedium' then nullif(fields->>'utmMedium', '') else c.utm_medium end,
      utm_campaign = case
        when fields ? 'utmCampaign' then nullif(fields->>'utmCampaign', '') else c.utm_campaign
      end,
      custom_labels = case
        when fields ? 'customLabels' then public.limit_merged_object(
          public.merge_labels(c.custom_labels, fields->'customLabels'), 'MI020'
        )
        else c.custom_labels
      end,
      is_favorite = coalesce((fields->>'isFavorite')::boolean, c.is_favorite),
      is_archived = coalesce((fields->>'isArchived')::boolean, c.is_archived),
      is_blocked = coalesce((fields->>'isBlocked')::boolean, c.is_blocked),
      updated_at = now()
    where c.id = contact_id;
  end if;
  outcome := jsonb_build_object(
    'action', case when found_contact.is_new then 'created' else 'updated' end,
    'contactId', contact_id,
    'fieldsUpdated', (
      select coalesce(jsonb_agg(f.key order by f.key), '[]') from jsonb_object_keys(fields) as f(key)
    ),
    'tagsApplied', public.apply_tags(instance_id, contact_id, request->'tags')
  );
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.save_contact(jsonb) from public, anon, authenticated;
grant execute on function public.save_contact(jsonb) to service_role;

-- source: supabase/schemas/functions/change_contact_tags.sql
-- contacts-api tags (specification 4.3): adds and removes tags of the contact of a phone, creating
-- the contact when it is missing. `request`: instanceId, phone, addTags, removeTags, idempotency.
-- Returns the outcome: contactId, tagsApplied, tagsRemoved; or {replayed}. Errors: MI007, MI008.
create or replace function public.change_contact_tags(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  contact_id uuid;
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  select (r.contact).id into contact_id
  from public.resolve_contact(instance_id, request->>'phone') r;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'tagsApplied', public.apply_tags(instance_id, contact_id, request->'addTags'),
    'tagsRemoved', public.remove_tags(instance_id, contact_id, request->'removeTags')
  );
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.change_contact_tags(jsonb) from public, anon, authenticated;
grant execute on function public.change_contact_tags(jsonb) to service_role;

-- source: supabase/schemas/functions/add_internal_note.sql
-- A note on a conversation, for operators' eyes. Returns its id.
create or replace function public.add_internal_note(
  instance_id uuid,
  conversation_id uuid,
  note text
)
returns uuid
language sql
set search_path = ''
as $$
  insert into public.internal_notes (instance_id, conversation_id, note)
  values (add_internal_note.instance_id, add_internal_note.conversation_id, add_internal_note.note)
  returning id;
$$;
revoke all on function public.add_internal_note(uuid, uuid, text) from public, anon, authenticated;
grant execute on function public.add_internal_note(uuid, uuid, text) to service_role;

-- source: supabase/schemas/functions/set_conversation_status.sql
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
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  contact_id uuid;
  conversation public.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  select (r.contact).id into contact_id
  from public.resolve_contact(instance_id, request->>'phone') r;
  conversation := public.resolve_conversation(instance_id, contact_id);
  update public.conversations c
  set status = request->>'status', updated_at = now()
  where c.id = conversation.id;
  if request->>'internalNote' is not null then
    perform public.add_internal_note(instance_id, conversation.id, request->>'internalNote');
  end if;
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'status', request->>'status',
    'noteAdded', request->>'internalNote' is not null
  );
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.set_conversation_status(jsonb) from public, anon, authenticated;
grant execute on function public.set_conversation_status(jsonb) to service_role;

-- source: supabase/schemas/functions/note_conversation.sql
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
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  contact_id uuid;
  conversation public.conversations;
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  select (r.contact).id into contact_id
  from public.resolve_contact(instance_id, request->>'phone') r;
  conversation := public.resolve_conversation(instance_id, contact_id);
  outcome := jsonb_build_object(
    'contactId', contact_id,
    'conversationId', conversation.id,
    'noteId', public.add_internal_note(instance_id, conversation.id, request->>'note')
  );
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.note_conversation(jsonb) from public, anon, authenticated;
grant execute on function public.note_conversation(jsonb) to service_role;
