-- admin-api: one template. `request`: templateId. Error: MI016.
create or replace function public.get_message_template(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select messaging.require_record((
    select messaging.describe_message_template(r) from messaging.message_templates r
    where r.id = (request->>'templateId')::uuid
  ), 'MI016', 'template_not_found');
$$;
