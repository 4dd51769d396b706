-- admin-api: one template. `request`: templateId. Error: MI016.
create or replace function public.get_message_template(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  template messaging.message_templates;
begin
  select r.* into template from messaging.message_templates r where r.id = (request->>'templateId')::uuid;
  if not found then
    raise exception using errcode = 'MI016', message = 'template_not_found';
  end if;
  return messaging.describe_message_template(template);
end;
$$;
