-- admin-api: the rates of a workspace. `request`: workspaceId. Returns what describe_rates does. Error: MI013.
create or replace function public.get_rates(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select messaging.describe_rates(w.id)
  from messaging.find_workspace((request->>'workspaceId')::uuid) as w;
$$;
