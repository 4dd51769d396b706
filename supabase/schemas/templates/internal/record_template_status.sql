-- Records what the official channel has decided about a template of the instance, or of its workspace alone.
-- `event`: providerTemplateId and, each where it is told, status, reason, disablesAt, quality, category,
-- wording (see reworded_components). Returns whether there is such a template. Records an event of each
-- whose status, planned end, quality or category is another one now.
create or replace function messaging.record_template_status(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  former messaging.message_templates;
  template messaging.message_templates;
  is_known boolean := false;
  changed uuid[];
begin
  for former in
    select t.* from messaging.find_told_templates(instance_id, event->>'providerTemplateId') t
  loop
    is_known := true;
    update messaging.message_templates t
    set provider_status = coalesce(event->>'status', t.provider_status),
      status_reason = case
        when event->>'status' is null then coalesce(event->>'reason', t.status_reason)
        else event->>'reason'
      end,
      disables_at = case
        when event->>'status' is null then coalesce((event->>'disablesAt')::timestamptz, t.disables_at)
        else (event->>'disablesAt')::timestamptz
      end,
      quality = coalesce(event->>'quality', t.quality),
      category = coalesce(event->>'category', t.category),
      category_changes_to = case when event->>'category' is null then t.category_changes_to end,
      category_changes_at = case when event->>'category' is null then t.category_changes_at end,
      components = messaging.reworded_components(t.components, event->'wording'),
      updated_at = clock,
      defined_at = case when event->'wording' is null then t.defined_at else clock end
    where t.id = former.id
    returning t.* into template;
    if (template.provider_status, template.disables_at, template.quality, template.category)
      is distinct from (former.provider_status, former.disables_at, former.quality, former.category)
    then
      changed := changed || template.id;
    end if;
  end loop;
  perform messaging.record_template_changes(changed);
  return is_known;
end;
$$;
