-- admin-api: a new workspace. `request`: name, alertEmail, peopleScope, idempotency (see begin_idempotent).
-- Returns the workspace, or {replayed}. Errors: MI007, MI008.
create or replace function public.create_workspace(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  workspace messaging.workspaces;
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.workspaces (name, alert_email, people_scope)
  values (
    request->>'name', nullif(request->>'alertEmail', ''),
    coalesce(request->>'peopleScope', 'instance')
  )
  returning * into workspace;
  return messaging.keep_outcome(request, messaging.describe_workspace(workspace));
end;
$$;

-- admin-api: one workspace. `request`: workspaceId. Error: MI013.
create or replace function public.get_workspace(request jsonb)
returns jsonb language sql stable set search_path = '' as $$
  select messaging.describe_workspace(messaging.find_workspace((request->>'workspaceId')::uuid));
$$;

-- admin-api: workspaces, oldest first, a page at a time.
-- `request`: limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_workspaces(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(array(
    select jsonb_build_object('createdAt', r.created_at, 'id', r.id,
      'record', messaging.describe_workspace(r))
    from messaging.workspaces r
    where (r.created_at, r.id) > (page.after_at, page.after_id)
    order by r.created_at, r.id
    limit page.size + 1
  ), page.size);
end;
$$;

-- admin-api: changes a workspace. `request`: workspaceId, changes {name, alertEmail, peopleScope, each optional;
-- an empty alertEmail removes it}. Returns the workspace. Another peopleScope holds from the next transaction
-- on; what was said before follows in steps, see change_people_scopes. A change that is under way begins anew.
-- Locks the workspace, then, for another peopleScope, its instances in the order of their ids. Error: MI013.
create or replace function public.update_workspace(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  changes constant jsonb := request->'changes';
  workspace messaging.workspaces;
begin
  update messaging.workspaces w
  set name = coalesce(changes->>'name', w.name),
    alert_email = nullif(coalesce(changes->>'alertEmail', w.alert_email), '')
  where w.id = (request->>'workspaceId')::uuid
  returning w.* into workspace;
  if not found then
    raise exception using errcode = 'MI013', message = 'workspace_not_found';
  end if;
  if changes->>'peopleScope' <> workspace.people_scope then
    workspace.people_scope := changes->>'peopleScope';
    update messaging.workspaces w set people_scope = workspace.people_scope where w.id = workspace.id;
    perform from messaging.instances i
    where i.workspace_id = workspace.id
    order by i.id
    for no key update;
    update messaging.instances i set people_scope = workspace.people_scope
    where i.workspace_id = workspace.id;
    delete from messaging.people_scope_changes c where c.workspace_id = workspace.id;
    insert into messaging.people_scope_changes (workspace_id) values (workspace.id);
  end if;
  return messaging.describe_workspace(workspace);
end;
$$;

-- admin-api: a workspace as a response shows it. `peopleScopeChange` is how far a change of its peopleScope
-- is; NULL where none is under way.
create or replace function messaging.describe_workspace(workspace messaging.workspaces)
returns jsonb language sql stable parallel safe set search_path = '' as $$
  select jsonb_build_object(
    'workspaceId', workspace.id,
    'name', workspace.name,
    'alertEmail', workspace.alert_email,
    'peopleScope', workspace.people_scope,
    'peopleScopeChange', (
      select jsonb_build_object(
        'to', workspace.people_scope,
        'phase', c.phase,
        'done', c.done,
        'total', c.total,
        'startedAt', messaging.iso_in_zone(c.started_at, 'UTC')
      )
      from messaging.people_scope_changes c
      where c.workspace_id = workspace.id
    ),
    'createdAt', messaging.iso_in_zone(workspace.created_at, 'UTC')
  );
$$;
