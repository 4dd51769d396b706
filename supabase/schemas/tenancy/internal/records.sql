-- admin-api: an instance by its id, of any workspace. Error: MI014.
create or replace function messaging.find_instance(instance_id uuid)
returns messaging.instances language plpgsql stable set search_path = '' as $$
declare
  instance messaging.instances;
begin
  select i.* into instance from messaging.instances i where i.id = find_instance.instance_id;
  if not found then
    raise exception using errcode = 'MI014', message = 'Instance not found';
  end if;
  return instance;
end;
$$;

-- The instances that a reference stands for: UUID, embed key, or business instance id (the provider's
-- own id where there is none; decisions, section 1), in this order: a name that looks like another
-- instance's UUID does not hide that one. Several only where instances of different providers, neither
-- with a business instance id, have one own id.
create or replace function messaging.find_instances_by_reference(reference text)
returns setof messaging.instances language plpgsql stable rows 1 set search_path = '' as $$
begin
  if reference ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return query select i.* from messaging.instances i where i.id = reference::uuid;
  end if;
  if not found then
    return query select i.* from messaging.instances i where i.embed_key = reference;
  end if;
  if not found then
    return query
    select i.* from messaging.instances i
    where coalesce(i.business_instance_id, i.gateway_instance_id) = reference;
  end if;
end;
$$;

-- admin-api: a workspace by its id. Error: MI013.
create or replace function messaging.find_workspace(workspace_id uuid)
returns messaging.workspaces language plpgsql stable set search_path = '' as $$
declare
  workspace messaging.workspaces;
begin
  select w.* into workspace from messaging.workspaces w where w.id = find_workspace.workspace_id;
  if not found then
    raise exception using errcode = 'MI013', message = 'workspace_not_found';
  end if;
  return workspace;
end;
$$;

-- The operator of a workspace named by UUID or by e-mail (in any case). Error: MI001.
create or replace function messaging.find_operator(workspace_id uuid, reference text)
returns messaging.operators language plpgsql stable set search_path = '' as $$
declare
  operator messaging.operators;
begin
  select o.* into operator
  from messaging.operators o
  where o.workspace_id = find_operator.workspace_id
    and (o.id::text = lower(btrim(reference)) or lower(o.email) = lower(btrim(reference)));
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return operator;
end;
$$;

-- The answer of an RPC that gets one record: what describes it, or the refusal with this SQLSTATE and code where
-- there is no such record.
create or replace function messaging.require_record(record jsonb, error_code text, message text)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if record is null then
    raise exception using errcode = error_code, message = require_record.message;
  end if;
  return record;
end;
$$;
