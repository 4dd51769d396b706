-- Records template.status_changed for templates of which the caller has just changed the status,
-- category, quality or planned end at the provider:
-- one event for the instance that a template belongs to, and one for each instance of the workspace
-- where it belongs to the workspace alone. NULL ids mean none.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_template_changes(template_ids uuid[])
returns void language plpgsql strict set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
begin
  perform messaging.record_event(i.id, null, 'template.status_changed', jsonb_build_object(
    'templateId', t.id, 'name', t.name, 'language', t.language, 'status', t.provider_status,
    'category', t.category, 'quality', t.quality, 'reason', t.status_reason,
    'disablesAt', messaging.iso_in_zone(t.disables_at, 'UTC')
  ))
  from messaging.message_templates t
  join messaging.instances i
    on i.workspace_id = t.workspace_id and i.id = coalesce(t.instance_id, i.id)
  where t.id = any (template_ids)
  order by t.name, t.language, t.id, i.id;
end;
$$;
