-- Records the official channel's decision about a template of the instance, or of its workspace alone.
-- Returns whether there is such a template. Records an event of each whose status is another one now.
create or replace function messaging.record_template_status(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  known uuid[];
  changed uuid[];
begin
  select array_agg(r.id), array_agg(r.id) filter (where r.is_changed) into known, changed
  from (
    select t.id, t.provider_status is distinct from event->>'status' as is_changed
    from messaging.message_templates t
    join messaging.instances i on i.id = record_template_status.instance_id
    where (t.instance_id = i.id or (t.instance_id is null and t.workspace_id = i.workspace_id))
      and t.provider_template_id = event->>'providerTemplateId'
    order by t.id
    for no key update of t
  ) as r;
  update messaging.message_templates t
  set provider_status = event->>'status', updated_at = now()
  where t.id = any (known);
  perform messaging.record_template_changes(changed);
  return known is not null;
end;
$$;
