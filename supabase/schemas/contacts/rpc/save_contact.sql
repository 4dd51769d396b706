-- contacts-api create and update (specification 4.3; decisions, section 3): creates the
-- contact that is named or changes the fields that were sent, and adds tags.
-- `request`: instanceId, phone | contactId | userId, fields (by the request's names; NULL clears), tags, idempotency.
-- customLabels are merged key by key, a NULL value removes the key.
-- Returns the outcome: action (created | updated), contactId, fieldsUpdated, tagsApplied; or
-- {replayed}. Errors: MI007, MI008, MI031, MI020 (customLabels would exceed 64 KiB).
create or replace function public.save_contact(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  instance_id constant uuid := (request->>'instanceId')::uuid;
  fields constant jsonb := request->'fields';
  replayed jsonb := messaging.begin_idempotent(request);
  change record;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  change := messaging.begin_contact_change(request);
  if fields <> '{}' then
    update messaging.contacts c
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
        when fields ? 'customLabels' then messaging.limit_merged_object(
          messaging.merge_labels(c.custom_labels, fields->'customLabels'), 'MI020'
        )
        else c.custom_labels
      end,
      is_favorite = coalesce((fields->>'isFavorite')::boolean, c.is_favorite),
      is_archived = coalesce((fields->>'isArchived')::boolean, c.is_archived),
      is_blocked = coalesce((fields->>'isBlocked')::boolean, c.is_blocked),
      updated_at = now()
    where c.id = change.contact_id;
  end if;
  outcome := jsonb_build_object(
    'action', case when change.is_new then 'created' else 'updated' end,
    'contactId', change.contact_id,
    'fieldsUpdated', (
      select coalesce(jsonb_agg(f.key order by f.key), '[]') from jsonb_object_keys(fields) as f(key)
    ),
    'tagsApplied', messaging.apply_tags(instance_id, change.contact_id, request->'tags')
  );
  if change.is_new then
    perform messaging.record_new_contacts(array[change.contact_id]);
  else
    perform messaging.record_contact_changes(instance_id, change.contact_id, change.before);
  end if;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;

-- Merges changes into labels, key by key. A NULL value removes its key; a JSON null in place of the
-- changes removes all labels; SQL NULL changes nothing.
create or replace function messaging.merge_labels(labels jsonb, changes jsonb)
returns jsonb language sql immutable parallel safe set search_path = '' as $$
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
