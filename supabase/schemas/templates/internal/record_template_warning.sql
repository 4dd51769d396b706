-- Records that the official channel will change a template's category, and what it costs with it. `event`:
-- providerTemplateId, from, to, at. Records template.category_warning for the instance that a template
-- belongs to, or for each of the workspace, once for each plan. Returns whether it was new.
create or replace function messaging.record_template_warning(instance_id uuid, event jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  template messaging.message_templates;
  changes_at constant timestamptz := (event->>'at')::timestamptz;
  is_news boolean := false;
begin
  for template in
    select t.* from messaging.find_told_templates(instance_id, event->>'providerTemplateId') t
  loop
    -- The same notice twice may differ by the seconds between its deliveries.
    continue when template.category_changes_to = event->>'to'
      and abs(extract(epoch from template.category_changes_at - changes_at)) < 3600;
    is_news := true;
    update messaging.message_templates t
    set category_changes_to = event->>'to', category_changes_at = changes_at,
      category = coalesce(t.category, event->>'from')
    where t.id = template.id;
    perform messaging.record_event(
      i.id, null, 'template.category_warning', jsonb_build_object(
        'templateId', template.id, 'name', template.name, 'language', template.language,
        'from', event->'from', 'to', event->'to', 'at', messaging.iso_in_zone(changes_at, 'UTC')
      )
    )
    from messaging.instances i
    where i.workspace_id = template.workspace_id and i.id = coalesce(template.instance_id, i.id);
  end loop;
  return is_news;
end;
$$;
