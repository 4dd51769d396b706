-- Records the official channel's decision about a template of the instance, or of its workspace alone.
-- Returns whether there is such a template.
create or replace function messaging.record_template_status(instance_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update messaging.message_templates t
  set provider_status = event->>'status', updated_at = now()
  from messaging.instances i
  where i.id = record_template_status.instance_id
    and (t.instance_id = i.id or (t.instance_id is null and t.workspace_id = i.workspace_id))
    and t.provider_template_id = event->>'providerTemplateId';
  return found;
end;
$$;
revoke all
on function messaging.record_template_status(uuid, jsonb)
from public, anon, authenticated;
grant execute on function messaging.record_template_status(uuid, jsonb) to service_role;
