-- admin-api: one workspace. `request`: workspaceId. Error: MI013.
create or replace function public.get_workspace(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select messaging.describe_workspace(messaging.find_workspace((request->>'workspaceId')::uuid));
$$;
