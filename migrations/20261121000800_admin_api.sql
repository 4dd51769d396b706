-- Written by `deno task db:baseline` from supabase/schemas: change those files, not this one.

-- source: supabase/schemas/functions/is_time_zone.sql
-- Whether the server knows a time zone by exactly this name.
create or replace function public.is_time_zone(name text)
returns boolean
language sql
stable parallel safe
set search_path = ''
as $$
  select exists (
    select from pg_catalog.pg_timezone_names z where z.name = is_time_zone.name
  );
$$;
revoke all on function public.is_time_zone(text) from public, anon, authenticated;
grant execute on function public.is_time_zone(text) to service_role;

-- source: supabase/schemas/functions/time_zone_issues.sql
-- admin-api: what is answered for a time zone that is_time_zone does not know.
create or replace function public.time_zone_issues()
returns jsonb
language sql
immutable parallel safe
set search_path = ''
as $$
  select jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
    'path', 'timeZone', 'message', 'must be the name of an IANA time zone, such as America/Sao_Paulo'
  )));
$$;
revoke all on function public.time_zone_issues() from public, anon, authenticated;
grant execute on function public.time_zone_issues() to service_role;

-- source: supabase/schemas/functions/page_of_records.sql
-- admin-api: a page out of one row more than it may hold. `records`: [{createdAt, id, record}] in
-- order, or NULL for none. Returns {items, next}; `next` {createdAt, id} is the place to go on after,
-- NULL on the last page.
create or replace function public.page_of_records(records jsonb, page_size integer)
returns jsonb
language sql
immutable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'items', jsonb_path_query_array(
      coalesce(records, '[]'), '$[0 to $last].record', jsonb_build_object('last', page_size - 1)
    ),
    'next', case
      when jsonb_array_length(records) > page_size then (records->(page_size - 1)) - 'record'
    end
  );
$$;
revoke all on function public.page_of_records(jsonb, integer) from public, anon, authenticated;
grant execute on function public.page_of_records(jsonb, integer) to service_role;

-- source: supabase/schemas/functions/find_workspace.sql
-- admin-api: a workspace by its id. Error: MI013.
create or replace function public.find_workspace(workspace_id uuid)
returns public.workspaces
language plpgsql
stable
set search_path = ''
as $$
declare
  workspace public.workspaces;
begin
  select w.* into workspace from public.workspaces w where w.id = find_workspace.workspace_id;
  if not found then
    raise exception using errcode = 'MI013', message = 'workspace_not_found';
  end if;
  return workspace;
end;
$$;
revoke all on function public.find_workspace(uuid) from public, anon, authenticated;
grant execute on function public.find_workspace(uuid) to service_role;

-- source: supabase/schemas/functions/find_instance.sql
-- admin-api: an instance by its id, whoever's it is. Error: MI014.
create or replace function public.find_instance(instance_id uuid)
returns public.instances
language plpgsql
stable
set search_path = ''
as $$
declare
  instance public.instances;
begin
  select i.* into instance from public.instances i where i.id = find_instance.instance_id;
  if not found then
    raise exception using errcode = 'MI014', message = 'Instance not found';
  end if;
  return instance;
end;
$$;
revoke all on function public.find_instance(uuid) from public, anon, authenticated;
grant execute on function public.find_instance(uuid) to service_role;

-- source: supabase/schemas/functions/move_waiting_slots.sql
-- Moves the slots of one stretch that a changed send window has planned (see plan_slot_moves), of any
-- instance whose pacing row is free. `request`: nothing. Returns {moved, isComplete}: how many slots,
-- and whether no stretch is left. Locks pacing, dispatch, queue rows, messages; waits for dispatch
-- alone, which nobody holds for long.
create or replace function public.move_waiting_slots(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  chosen uuid;
  moved bigint := 0;
begin
  select p.instance_id into chosen
  from public.pacing p
  where p.instance_id = any (array(select distinct s.instance_id from public.slot_moves s))
  order by p.instance_id
  limit 1
  for no key update skip locked;
  if chosen is not null then
    moved := coalesce(public.move_slots(public.find_instance(chosen)), 0);
    perform public.refresh_dispatch(array[chosen]);
  end if;
  return jsonb_build_object(
    'moved', moved, 'isComplete', not exists (select from public.slot_moves)
  );
end;
$$;
revoke all on function public.move_waiting_slots(jsonb) from public, anon, authenticated;
grant execute on function public.move_waiting_slots(jsonb) to service_role;

-- source: supabase/schemas/functions/list_former_seals.sql
-- admin-api: instances whose credentials are sealed under a former key. `request`: keyIds (of all
-- keys, the current one first), limit.
-- Returns {items: [{instanceId, sealedProviderConfig}], total, unreadable: [instanceId]}: the last are
-- sealed under no key that there is, at most `limit` of them too.
create or replace function public.list_former_seals(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  key_ids constant text[] := array(select jsonb_array_elements_text(request->'keyIds'));
  max_items constant integer := (request->>'limit')::integer;
begin
  return (
    select jsonb_build_object(
      'items', coalesce(
        jsonb_agg(
          jsonb_build_object('instanceId', f.id, 'sealedProviderConfig', f.sealed_provider_config)
        ) filter (where f.is_readable and f.place <= max_items),
        '[]'
      ),
      'total', count(*) filter (where f.is_readable),
      'unreadable', coalesce(
        jsonb_agg(f.id) filter (where not f.is_readable and f.place <= max_items), '[]'
      )
    )
    from (
      select i.id, i.sealed_provider_config, seal.key_id = any (key_ids) as is_readable,
        row_number() over (
          partition by seal.key_id = any (key_ids) order by i.created_at, i.id
        ) as place
      from public.instances i
      cross join lateral (select split_part(i.sealed_provider_config, '.', 2) as key_id) as seal
      where seal.key_id <> key_ids[1]
    ) as f
  );
end;
$$;
revoke all on function public.list_former_seals(jsonb) from public, anon, authenticated;
grant execute on function public.list_former_seals(jsonb) to service_role;

-- source: supabase/schemas/functions/replace_seals.sql
-- admin-api: stores credentials that were sealed anew. `request`: items [{instanceId, former,
-- sealedProviderConfig}]. What was changed meanwhile, and so is not `former` any more, stays.
-- Returns {replaced}: how many were.
create or replace function public.replace_seals(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  replaced integer;
begin
  update public.instances i
  set sealed_provider_config = item."sealedProviderConfig"
  from jsonb_to_recordset(request->'items') as item(
    "instanceId" uuid, former text, "sealedProviderConfig" text
  )
  where i.id = item."instanceId" and i.sealed_provider_config = item.former;
  get diagnostics replaced = row_count;
  return jsonb_build_object('replaced', replaced);
end;
$$;
revoke all on function public.replace_seals(jsonb) from public, anon, authenticated;
grant execute on function public.replace_seals(jsonb) to service_role;

-- source: supabase/schemas/functions/describe_workspace.sql
-- admin-api: a workspace as a response shows it.
create or replace function public.describe_workspace(workspace public.workspaces)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'workspaceId', workspace.id,
    'name', workspace.name,
    'createdAt', public.iso_in_zone(workspace.created_at, 'UTC')
  );
$$;
revoke all on function public.describe_workspace(public.workspaces) from public, anon, authenticated;
grant execute on function public.describe_workspace(public.workspaces) to service_role;

-- source: supabase/schemas/functions/create_workspace.sql
-- admin-api: a new workspace. `request`: name, idempotency (see begin_idempotent).
-- Returns the workspace, or {replayed}. Errors: MI007, MI008.
create or replace function public.create_workspace(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace public.workspaces;
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  insert into public.workspaces (name) values (request->>'name') returning * into workspace;
  outcome := public.describe_workspace(workspace);
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.create_workspace(jsonb) from public, anon, authenticated;
grant execute on function public.create_workspace(jsonb) to service_role;

-- source: supabase/schemas/functions/get_workspace.sql
-- admin-api: one workspace. `request`: workspaceId. Error: MI013.
create or replace function public.get_workspace(request jsonb)
returns jsonb
language sql
stable
set search_path = ''
as $$
  select public.describe_workspace(public.find_workspace((request->>'workspaceId')::uuid));
$$;
revoke all on function public.get_workspace(jsonb) from public, anon, authenticated;
grant execute on function public.get_workspace(jsonb) to service_role;

-- source: supabase/schemas/functions/list_workspaces.sql
-- admin-api: workspaces, oldest first, a page at a time.
-- `request`: limit, `after` as returned in `next`. Returns {items, next}.
create or replace function public.list_workspaces(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, public.describe_workspace(r) as record
    from public.workspaces r
    where (r.created_at, r.id) > (after_at, after_id)
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return public.page_of_records(records, page_size);
end;
$$;
revoke all on function public.list_workspaces(jsonb) from public, anon, authenticated;
grant execute on function public.list_workspaces(jsonb) to service_role;

-- source: supabase/schemas/functions/describe_instance.sql
-- admin-api: an instance as a response shows it: never its credentials, sealed or not. A gateway's
-- webhook path goes on with its webhookSecret, which is one of them.
create or replace function public.describe_instance(instance public.instances)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'instanceId', instance.id,
    'workspaceId', instance.workspace_id,
    'name', instance.name,
    'provider', instance.provider,
    'gatewayInstanceId', instance.gateway_instance_id,
    'businessInstanceId', instance.business_instance_id,
    'embedKey', instance.embed_key,
    'connectedPhone', instance.connected_phone,
    'timeZone', instance.time_zone,
    'sendWindow', jsonb_build_object(
      'start', to_char(instance.window_start, 'HH24:MI'),
      'end', to_char(instance.window_end, 'HH24:MI'),
      'days', to_jsonb(instance.window_days),
      'holidays', (
        select coalesce(jsonb_agg(h.day order by h.day), '[]')
        from public.holidays h where h.instance_id = instance.id
      )
    ),
    'onUnconfirmed', instance.on_unconfirmed,
    'requestsPerMinute', instance.requests_per_minute,
    'webhookPath', format('provider-webhook/%s/%s', instance.provider, instance.id),
    'createdAt', public.iso_in_zone(instance.created_at, 'UTC')
  );
$$;
revoke all on function public.describe_instance(public.instances) from public, anon, authenticated;
grant execute on function public.describe_instance(public.instances) to service_role;

-- source: supabase/schemas/functions/taken_instance_field.sql
-- Which field of an instance has another instance's value, by the unique index that refused it: the
-- business instance id where the call gives one or changes it, else the provider's own id. NULL for
-- an index that is about neither.
create or replace function public.taken_instance_field(index_name text, changes_business_id boolean)
returns text
language sql
immutable parallel safe
set search_path = ''
as $$
  select case
    when index_name = 'instances_gateway_id' then 'gatewayInstanceId'
    when index_name not like 'instances\_name\_at\_%' then null
    when changes_business_id then 'businessInstanceId'
    else 'gatewayInstanceId'
  end;
$$;
revoke all on function public.taken_instance_field(text, boolean) from public, anon, authenticated;
grant execute on function public.taken_instance_field(text, boolean) to service_role;

-- source: supabase/schemas/functions/create_instance.sql
-- admin-api: a new instance with its holidays, its pacing and its dispatch.
-- `request`: instanceId (its credentials are sealed for it), workspaceId, name, provider,
--   sealedProviderConfig, gatewayInstanceId, businessInstanceId, embedKey, connectedPhone, timeZone,
--   sendWindow {start, end, days, holidays}, onUnconfirmed, requestsPerMinute, idempotency (see begin_idempotent).
-- Returns the instance, {replayed}, {issues} when the server does not know the time zone, or {taken}:
--   the field whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Errors: MI007, MI008, MI013.
create or replace function public.create_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  send_window constant jsonb := request->'sendWindow';
  workspace public.workspaces;
  instance public.instances;
  replayed jsonb;
  outcome jsonb;
  violated text;
  taken text;
begin
  if not public.is_time_zone(request->>'timeZone') then
    return public.time_zone_issues();
  end if;
  begin
    replayed := public.begin_idempotent(request->'idempotency');
    if replayed is not null then
      return jsonb_build_object('replayed', replayed);
    end if;
    workspace := public.find_workspace((request->>'workspaceId')::uuid);
    insert into public.instances (
      id, workspace_id, name, provider, sealed_provider_config, gateway_instance_id,
      business_instance_id, embed_key, connected_phone, connected_phone_key, time_zone, window_start,
      window_end, window_days, on_unconfirmed, requests_per_minute
    )
    values (
      (request->>'instanceId')::uuid, workspace.id, request->>'name', request->>'provider',
      request->>'sealedProviderConfig', request->>'gatewayInstanceId',
      request->>'businessInstanceId', request->>'embedKey', request->>'connectedPhone',
      public.phone_identity_key(request->>'connectedPhone'), request->>'timeZone',
      (send_window->>'start')::time, (send_window->>'end')::time,
      array(select jsonb_array_elements_text(send_window->'days')::smallint),
      request->>'onUnconfirmed', (request->>'requestsPerMinute')::integer
    )
    returning * into instance;
    insert into public.holidays (instance_id, day)
    select distinct instance.id, holiday::date
    from jsonb_array_elements_text(send_window->'holidays') as holiday;
    insert into public.pacing (instance_id) values (instance.id);
    insert into public.dispatch (instance_id) values (instance.id);
    outcome := public.describe_instance(instance);
    perform public.keep_outcome(request->'idempotency', outcome, null);
    return outcome;
  exception when unique_violation then
    -- The block gives the idempotency key back too: nothing has been executed under it.
    get stacked diagnostics violated = constraint_name;
    taken := public.taken_instance_field(violated, request->>'businessInstanceId' is not null);
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
end;
$$;
revoke all on function public.create_instance(jsonb) from public, anon, authenticated;
grant execute on function public.create_instance(jsonb) to service_role;

-- source: supabase/schemas/functions/update_instance.sql
-- admin-api: changes an instance; what waits in its queue keeps its slot unless the window is closed
-- then (see plan_slot_moves); a wider window moves none. It is looked at again at once, so that new
-- credentials hold without delay.
-- `request`: instanceId, changes, of which only what it holds is written: name, connectedPhone,
--   businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
--   optional}, onUnconfirmed, requestsPerMinute (null lifts it), sealedProviderConfig with gatewayInstanceId.
-- Returns the instance, {issues} when the window or the time zone would not be valid, or {taken}: the
--   field whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Locks pacing, instance, queue rows and messages that nobody holds, dispatch. Error: MI014.
create or replace function public.update_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  send_window constant jsonb := changes->'sendWindow';
  instance public.instances;
  violated text;
  taken text;
begin
  if changes ? 'timeZone' and not public.is_time_zone(changes->>'timeZone') then
    return public.time_zone_issues();
  end if;
  perform from public.pacing p
  where p.instance_id = (request->>'instanceId')::uuid for no key update;
  instance := public.find_instance((request->>'instanceId')::uuid);
  instance.window_start := coalesce((send_window->>'start')::time, instance.window_start);
  instance.window_end := coalesce((send_window->>'end')::time, instance.window_end);
  if instance.window_end <= instance.window_start then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', case when send_window ? 'end' then 'sendWindow.end' else 'sendWindow.start' end,
      'message', 'end must be after start'
    )));
  end if;

  begin
    update public.instances i
    set name = coalesce(changes->>'name', i.name),
      sealed_provider_config = coalesce(changes->>'sealedProviderConfig', i.sealed_provider_config),
      gateway_instance_id = case
        when changes ? 'sealedProviderConfig' then changes->>'gatewayInstanceId'
        else i.gateway_instance_id
      end,
      business_instance_id = case
        when changes ? 'businessInstanceId' then changes->>'businessInstanceId'
        else i.business_instance_id
      end,
      connected_phone = coalesce(changes->>'connectedPhone', i.connected_phone),
      connected_phone_key = public.phone_identity_key(
        coalesce(changes->>'connectedPhone', i.connected_phone)
      ),
      time_zone = coalesce(changes->>'timeZone', i.time_zone),
      window_start = instance.window_start,
      window_end = instance.window_end,
      window_days = case
        when send_window ? 'days'
        then array(select jsonb_array_elements_text(send_window->'days')::smallint)
        else i.window_days
      end,
      on_unconfirmed = coalesce(changes->>'onUnconfirmed', i.on_unconfirmed),
      requests_per_minute = case
        when changes ? 'requestsPerMinute' then (changes->>'requestsPerMinute')::integer
        else i.requests_per_minute
      end,
      updated_at = now()
    where i.id = instance.id
    returning i.* into instance;
  exception when unique_violation then
    get stacked diagnostics violated = constraint_name;
    taken := public.taken_instance_field(violated, changes ? 'businessInstanceId');
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
  if send_window ? 'holidays' then
    delete from public.holidays h where h.instance_id = instance.id;
    insert into public.holidays (instance_id, day)
    select distinct instance.id, holiday::date
    from jsonb_array_elements_text(send_window->'holidays') as holiday;
  end if;

  if changes ?| array['sendWindow', 'timeZone'] then
    perform public.plan_slot_moves(instance);
  end if;
  if changes ? 'sealedProviderConfig' then
    update public.dispatch d set hold_until = '-infinity', refused_at = '-infinity' where d.instance_id = instance.id;
  end if;
  perform public.refresh_dispatch(array[instance.id]);
  return public.describe_instance(instance);
end;
$$;
revoke all on function public.update_instance(jsonb) from public, anon, authenticated;
grant execute on function public.update_instance(jsonb) to service_role;

-- source: supabase/schemas/functions/get_instance.sql
-- admin-api: one instance. `request`: instanceId (UUID, business instance id or embed key). Returns the
-- instance, or {issues} where the provider's own id stands for instances of several providers.
-- Error: MI014.
create or replace function public.get_instance(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  found_ids constant uuid[] := array(
    select i.id from public.instances_named(request->>'instanceId') i
  );
begin
  if cardinality(found_ids) > 1 then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'instanceId',
      'message', 'stands for instances of several providers: give the UUID or the embed key'
    )));
  end if;
  return public.describe_instance(public.find_instance(found_ids[1]));
end;
$$;
revoke all on function public.get_instance(jsonb) from public, anon, authenticated;
grant execute on function public.get_instance(jsonb) to service_role;

-- source: supabase/schemas/functions/list_instances.sql
-- admin-api: instances, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_instances(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  if request->>'workspaceId' is not null then
    perform public.find_workspace((request->>'workspaceId')::uuid);
  end if;
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, public.describe_instance(r) as record
    from public.instances r
    where (r.created_at, r.id) > (after_at, after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return public.page_of_records(records, page_size);
end;
$$;
revoke all on function public.list_instances(jsonb) from public, anon, authenticated;
grant execute on function public.list_instances(jsonb) to service_role;

-- source: supabase/schemas/functions/describe_client_token.sql
-- admin-api: a token as a response shows it: never its hash.
create or replace function public.describe_client_token(token public.client_tokens)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'tokenId', token.id,
    'instanceId', token.instance_id,
    'label', token.label,
    'expiresAt', public.iso_in_zone(token.expires_at, 'UTC'),
    'lastUsedAt', public.iso_in_zone(token.last_used_at, 'UTC'),
    'revokedAt', public.iso_in_zone(token.revoked_at, 'UTC'),
    'createdAt', public.iso_in_zone(token.created_at, 'UTC')
  );
$$;
revoke all on function public.describe_client_token(public.client_tokens) from public, anon, authenticated;
grant execute on function public.describe_client_token(public.client_tokens) to service_role;

-- source: supabase/schemas/functions/create_client_token.sql
-- admin-api: a new token of an instance; beside it, others stay alive. `request`: tokenId,
-- instanceId, tokenHash, label, expiresAt, sealedToken (kept with the outcome alone, so that a
-- repeated call can be given the token again), idempotency (see begin_idempotent).
-- Returns the token's record, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_client_token(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance public.instances;
  token public.client_tokens;
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  instance := public.find_instance((request->>'instanceId')::uuid);
  insert into public.client_tokens (id, instance_id, token_hash, label, expires_at)
  values (
    (request->>'tokenId')::uuid, instance.id, request->>'tokenHash', request->>'label',
    (request->>'expiresAt')::timestamptz
  )
  returning * into token;
  outcome := public.describe_client_token(token);
  perform public.keep_outcome(
    request->'idempotency',
    outcome || jsonb_build_object('sealedToken', request->>'sealedToken'),
    null
  );
  return outcome;
end;
$$;
revoke all on function public.create_client_token(jsonb) from public, anon, authenticated;
grant execute on function public.create_client_token(jsonb) to service_role;

-- source: supabase/schemas/functions/get_client_token.sql
-- admin-api: one token of an instance, revoked or not. `request`: instanceId, tokenId.
-- Errors: MI014, MI015 (the instance has no such token).
create or replace function public.get_client_token(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance constant public.instances := public.find_instance((request->>'instanceId')::uuid);
  token public.client_tokens;
begin
  select t.* into token from public.client_tokens t
  where t.id = (request->>'tokenId')::uuid and t.instance_id = instance.id;
  if not found then
    raise exception using errcode = 'MI015', message = 'token_not_found';
  end if;
  return public.describe_client_token(token);
end;
$$;
revoke all on function public.get_client_token(jsonb) from public, anon, authenticated;
grant execute on function public.get_client_token(jsonb) to service_role;

-- source: supabase/schemas/functions/list_client_tokens.sql
-- admin-api: the tokens of an instance, revoked and expired ones too, oldest first,
-- a page at a time.
-- `request`: instanceId, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_client_tokens(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  perform public.find_instance((request->>'instanceId')::uuid);
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, public.describe_client_token(r) as record
    from public.client_tokens r
    where (r.created_at, r.id) > (after_at, after_id)
      and r.instance_id = (request->>'instanceId')::uuid
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return public.page_of_records(records, page_size);
end;
$$;
revoke all on function public.list_client_tokens(jsonb) from public, anon, authenticated;
grant execute on function public.list_client_tokens(jsonb) to service_role;

-- source: supabase/schemas/functions/revoke_client_token.sql
-- admin-api: closes a token from now on; one that is revoked already stays as it is. `request`:
-- instanceId, tokenId. Errors: MI014, MI015 (the instance has no such token).
create or replace function public.revoke_client_token(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance public.instances;
  token public.client_tokens;
begin
  instance := public.find_instance((request->>'instanceId')::uuid);
  update public.client_tokens t
  set revoked_at = coalesce(t.revoked_at, clock_timestamp())
  where t.id = (request->>'tokenId')::uuid and t.instance_id = instance.id
  returning t.* into token;
  if not found then
    raise exception using errcode = 'MI015', message = 'token_not_found';
  end if;
  return public.describe_client_token(token);
end;
$$;
revoke all on function public.revoke_client_token(jsonb) from public, anon, authenticated;
grant execute on function public.revoke_client_token(jsonb) to service_role;

-- source: supabase/schemas/functions/describe_operator.sql
-- admin-api: an operator as a response shows it.
create or replace function public.describe_operator(operator public.operators)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'operatorId', operator.id,
    'workspaceId', operator.workspace_id,
    'name', operator.name,
    'email', operator.email,
    'createdAt', public.iso_in_zone(operator.created_at, 'UTC')
  );
$$;
revoke all on function public.describe_operator(public.operators) from public, anon, authenticated;
grant execute on function public.describe_operator(public.operators) to service_role;

-- source: supabase/schemas/functions/create_operator.sql
-- admin-api: a new operator. `request`: workspaceId, name, email, idempotency (see
-- begin_idempotent). Returns the operator, or {replayed}.
-- Errors: MI007, MI008, MI013, MI017 (the workspace has the e-mail already, in whatever case).
create or replace function public.create_operator(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace public.workspaces;
  operator public.operators;
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  workspace := public.find_workspace((request->>'workspaceId')::uuid);
  insert into public.operators (workspace_id, name, email)
  values (workspace.id, request->>'name', request->>'email')
  on conflict (workspace_id, lower(email)) do nothing
  returning * into operator;
  if not found then
    raise exception using errcode = 'MI017', message = 'already_exists';
  end if;
  outcome := public.describe_operator(operator);
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.create_operator(jsonb) from public, anon, authenticated;
grant execute on function public.create_operator(jsonb) to service_role;

-- source: supabase/schemas/functions/update_operator.sql
-- admin-api: changes an operator. `request`: operatorId, changes {name, email, each optional}.
-- Errors: MI001, MI017 (another operator of the workspace has the e-mail).
create or replace function public.update_operator(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  operator public.operators;
begin
  update public.operators r
  set name = coalesce(changes->>'name', r.name),
    email = coalesce(changes->>'email', r.email)
  where r.id = (request->>'operatorId')::uuid
  returning r.* into operator;
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return public.describe_operator(operator);
exception when unique_violation then
  raise exception using errcode = 'MI017', message = 'already_exists';
end;
$$;
revoke all on function public.update_operator(jsonb) from public, anon, authenticated;
grant execute on function public.update_operator(jsonb) to service_role;

-- source: supabase/schemas/functions/get_operator.sql
-- admin-api: one operator. `request`: operatorId. Error: MI001.
create or replace function public.get_operator(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  operator public.operators;
begin
  select r.* into operator from public.operators r where r.id = (request->>'operatorId')::uuid;
  if not found then
    raise exception using errcode = 'MI001', message = 'operator_not_found';
  end if;
  return public.describe_operator(operator);
end;
$$;
revoke all on function public.get_operator(jsonb) from public, anon, authenticated;
grant execute on function public.get_operator(jsonb) to service_role;

-- source: supabase/schemas/functions/list_operators.sql
-- admin-api: operators, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_operators(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  if request->>'workspaceId' is not null then
    perform public.find_workspace((request->>'workspaceId')::uuid);
  end if;
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, public.describe_operator(r) as record
    from public.operators r
    where (r.created_at, r.id) > (after_at, after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return public.page_of_records(records, page_size);
end;
$$;
revoke all on function public.list_operators(jsonb) from public, anon, authenticated;
grant execute on function public.list_operators(jsonb) to service_role;

-- source: supabase/schemas/functions/describe_department.sql
-- admin-api: a department as a response shows it.
create or replace function public.describe_department(department public.departments)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'departmentId', department.id,
    'workspaceId', department.workspace_id,
    'name', department.name,
    'createdAt', public.iso_in_zone(department.created_at, 'UTC')
  );
$$;
revoke all on function public.describe_department(public.departments) from public, anon, authenticated;
grant execute on function public.describe_department(public.departments) to service_role;

-- source: supabase/schemas/functions/create_department.sql
-- admin-api: a new department. `request`: workspaceId, name, idempotency (see begin_idempotent).
-- Returns the department, or {replayed}. Errors: MI007, MI008, MI013.
create or replace function public.create_department(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace public.workspaces;
  department public.departments;
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  workspace := public.find_workspace((request->>'workspaceId')::uuid);
  insert into public.departments (workspace_id, name)
  values (workspace.id, request->>'name')
  returning * into department;
  outcome := public.describe_department(department);
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.create_department(jsonb) from public, anon, authenticated;
grant execute on function public.create_department(jsonb) to service_role;

-- source: supabase/schemas/functions/update_department.sql
-- admin-api: changes a department. `request`: departmentId, changes {name, optional}. Error: MI002.
create or replace function public.update_department(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  department public.departments;
begin
  update public.departments r
  set name = coalesce(changes->>'name', r.name)
  where r.id = (request->>'departmentId')::uuid
  returning r.* into department;
  if not found then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;
  return public.describe_department(department);
end;
$$;
revoke all on function public.update_department(jsonb) from public, anon, authenticated;
grant execute on function public.update_department(jsonb) to service_role;

-- source: supabase/schemas/functions/get_department.sql
-- admin-api: one department. `request`: departmentId. Error: MI002.
create or replace function public.get_department(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  department public.departments;
begin
  select r.* into department from public.departments r where r.id = (request->>'departmentId')::uuid;
  if not found then
    raise exception using errcode = 'MI002', message = 'department_not_found';
  end if;
  return public.describe_department(department);
end;
$$;
revoke all on function public.get_department(jsonb) from public, anon, authenticated;
grant execute on function public.get_department(jsonb) to service_role;

-- source: supabase/schemas/functions/list_departments.sql
-- admin-api: departments, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI013.
create or replace function public.list_departments(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  if request->>'workspaceId' is not null then
    perform public.find_workspace((request->>'workspaceId')::uuid);
  end if;
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, public.describe_department(r) as record
    from public.departments r
    where (r.created_at, r.id) > (after_at, after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return public.page_of_records(records, page_size);
end;
$$;
revoke all on function public.list_departments(jsonb) from public, anon, authenticated;
grant execute on function public.list_departments(jsonb) to service_role;

-- source: supabase/schemas/functions/describe_ai_agent.sql
-- admin-api: an agent as a response shows it.
create or replace function public.describe_ai_agent(agent public.ai_agents)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'agentId', agent.id,
    'instanceId', agent.instance_id,
    'name', agent.name,
    'instructions', agent.instructions,
    'model', agent.model,
    'isActive', agent.is_active,
    'createdAt', public.iso_in_zone(agent.created_at, 'UTC'),
    'updatedAt', public.iso_in_zone(agent.updated_at, 'UTC')
  );
$$;
revoke all on function public.describe_ai_agent(public.ai_agents) from public, anon, authenticated;
grant execute on function public.describe_ai_agent(public.ai_agents) to service_role;

-- source: supabase/schemas/functions/create_ai_agent.sql
-- admin-api: a new agent. `request`: instanceId, name, instructions, model, isActive, idempotency
-- (see begin_idempotent). Returns the agent, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.create_ai_agent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance public.instances;
  agent public.ai_agents;
  replayed jsonb := public.begin_idempotent(request->'idempotency');
  outcome jsonb;
begin
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  instance := public.find_instance((request->>'instanceId')::uuid);
  insert into public.ai_agents (instance_id, name, instructions, model, is_active)
  values (
    instance.id, request->>'name', request->>'instructions', request->>'model',
    (request->>'isActive')::boolean
  )
  returning * into agent;
  outcome := public.describe_ai_agent(agent);
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.create_ai_agent(jsonb) from public, anon, authenticated;
grant execute on function public.create_ai_agent(jsonb) to service_role;

-- source: supabase/schemas/functions/update_ai_agent.sql
-- admin-api: changes an agent. `request`: agentId, changes {name, instructions, model, isActive,
-- each optional}. Error: MI003.
create or replace function public.update_ai_agent(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  agent public.ai_agents;
begin
  update public.ai_agents r
  set name = coalesce(changes->>'name', r.name),
    instructions = coalesce(changes->>'instructions', r.instructions),
    model = coalesce(changes->>'model', r.model),
    is_active = coalesce((changes->>'isActive')::boolean, r.is_active),
    updated_at = now()
  where r.id = (request->>'agentId')::uuid
  returning r.* into agent;
  if not found then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  return public.describe_ai_agent(agent);
end;
$$;
revoke all on function public.update_ai_agent(jsonb) from public, anon, authenticated;
grant execute on function public.update_ai_agent(jsonb) to service_role;

-- source: supabase/schemas/functions/get_ai_agent.sql
-- admin-api: one agent. `request`: agentId. Error: MI003.
create or replace function public.get_ai_agent(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  agent public.ai_agents;
begin
  select r.* into agent from public.ai_agents r where r.id = (request->>'agentId')::uuid;
  if not found then
    raise exception using errcode = 'MI003', message = 'agent_not_found';
  end if;
  return public.describe_ai_agent(agent);
end;
$$;
revoke all on function public.get_ai_agent(jsonb) from public, anon, authenticated;
grant execute on function public.get_ai_agent(jsonb) to service_role;

-- source: supabase/schemas/functions/list_ai_agents.sql
-- admin-api: agents, oldest first, a page at a time.
-- `request`: instanceId or NULL for all, limit, `after` as returned in `next`.
-- Returns {items, next}. Error: MI014.
create or replace function public.list_ai_agents(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  if request->>'instanceId' is not null then
    perform public.find_instance((request->>'instanceId')::uuid);
  end if;
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, public.describe_ai_agent(r) as record
    from public.ai_agents r
    where (r.created_at, r.id) > (after_at, after_id)
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return public.page_of_records(records, page_size);
end;
$$;
revoke all on function public.list_ai_agents(jsonb) from public, anon, authenticated;
grant execute on function public.list_ai_agents(jsonb) to service_role;

-- source: supabase/schemas/functions/describe_message_template.sql
-- admin-api: a template as a response shows it.
create or replace function public.describe_message_template(template public.message_templates)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'templateId', template.id,
    'workspaceId', template.workspace_id,
    'instanceId', template.instance_id,
    'name', template.name,
    'language', template.language,
    'parameterFormat', template.parameter_format,
    'components', template.components,
    'providerStatus', template.provider_status,
    'providerTemplateId', template.provider_template_id,
    'createdAt', public.iso_in_zone(template.created_at, 'UTC'),
    'updatedAt', public.iso_in_zone(template.updated_at, 'UTC')
  );
$$;
revoke all on function public.describe_message_template(public.message_templates) from public, anon, authenticated;
grant execute on function public.describe_message_template(public.message_templates) to service_role;

-- source: supabase/schemas/functions/create_message_template.sql
-- admin-api: a new template, of a workspace or of one of its instances. `request`: workspaceId
-- (follows from the instance when NULL), instanceId or NULL, name, language, parameterFormat,
-- components, providerStatus, providerTemplateId, idempotency (see begin_idempotent).
-- Returns the template, {replayed}, or {issues} when the instance is not the workspace's.
-- Errors: MI007, MI008, MI013, MI014.
create or replace function public.create_message_template(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  workspace public.workspaces;
  instance public.instances;
  template public.message_templates;
  replayed jsonb;
  outcome jsonb;
begin
  if request->>'instanceId' is not null then
    instance := public.find_instance((request->>'instanceId')::uuid);
  end if;
  workspace := public.find_workspace(
    coalesce((request->>'workspaceId')::uuid, instance.workspace_id)
  );
  if instance.workspace_id <> workspace.id then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'instanceId', 'message', 'belongs to another workspace'
    )));
  end if;
  replayed := public.begin_idempotent(request->'idempotency');
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  insert into public.message_templates (
    workspace_id, instance_id, name, language, parameter_format, components, provider_status,
    provider_template_id
  )
  values (
    workspace.id, instance.id, request->>'name', request->>'language',
    request->>'parameterFormat', request->'components', request->>'providerStatus',
    request->>'providerTemplateId'
  )
  returning * into template;
  outcome := public.describe_message_template(template);
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.create_message_template(jsonb) from public, anon, authenticated;
grant execute on function public.create_message_template(jsonb) to service_role;

-- source: supabase/schemas/functions/update_message_template.sql
-- admin-api: changes a template. `request`: templateId, changes {name, language, parameterFormat,
-- components, providerStatus, providerTemplateId, each optional; null clears the last two}.
-- Errors: MI016.
create or replace function public.update_message_template(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  template public.message_templates;
begin
  update public.message_templates r
  set name = coalesce(changes->>'name', r.name),
    language = coalesce(changes->>'language', r.language),
    parameter_format = coalesce(changes->>'parameterFormat', r.parameter_format),
    components = coalesce(changes->'components', r.components),
    provider_status = case
      when changes ? 'providerStatus' then changes->>'providerStatus' else r.provider_status
    end,
    provider_template_id = case
      when changes ? 'providerTemplateId' then changes->>'providerTemplateId'
      else r.provider_template_id
    end,
    updated_at = now(),
    defined_at = case
      when changes ?| array['name', 'language', 'parameterFormat', 'components']
      then clock_timestamp() else r.defined_at
    end
  where r.id = (request->>'templateId')::uuid
  returning r.* into template;
  if not found then
    raise exception using errcode = 'MI016', message = 'template_not_found';
  end if;
  return public.describe_message_template(template);
end;
$$;
revoke all on function public.update_message_template(jsonb) from public, anon, authenticated;
grant execute on function public.update_message_template(jsonb) to service_role;

-- source: supabase/schemas/functions/get_message_template.sql
-- admin-api: one template. `request`: templateId. Error: MI016.
create or replace function public.get_message_template(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  template public.message_templates;
begin
  select r.* into template from public.message_templates r where r.id = (request->>'templateId')::uuid;
  if not found then
    raise exception using errcode = 'MI016', message = 'template_not_found';
  end if;
  return public.describe_message_template(template);
end;
$$;
revoke all on function public.get_message_template(jsonb) from public, anon, authenticated;
grant execute on function public.get_message_template(jsonb) to service_role;

-- source: supabase/schemas/functions/list_message_templates.sql
-- admin-api: templates, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, instanceId or NULL for all, limit,
-- `after` as returned in `next`. Returns {items, next}. Errors: MI013, MI014.
create or replace function public.list_message_templates(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  if request->>'workspaceId' is not null then
    perform public.find_workspace((request->>'workspaceId')::uuid);
  end if;
  if request->>'instanceId' is not null then
    perform public.find_instance((request->>'instanceId')::uuid);
  end if;
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, public.describe_message_template(r) as record
    from public.message_templates r
    where (r.created_at, r.id) > (after_at, after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
      and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return public.page_of_records(records, page_size);
end;
$$;
revoke all on function public.list_message_templates(jsonb) from public, anon, authenticated;
grant execute on function public.list_message_templates(jsonb) to service_role;

-- source: supabase/schemas/functions/describe_outbox_row.sql
-- admin-api: an outbox row as a response shows it: what became of it, not what it says or to whom.
create or replace function public.describe_outbox_row(entry public.outbox)
returns jsonb
language sql
stable parallel safe
set search_path = ''
as $$
  select jsonb_build_object(
    'outboxId', entry.id,
    'workspaceId', entry.workspace_id,
    'instanceId', entry.payload->>'instanceId',
    'kind', entry.kind,
    'status', entry.status,
    'attempts', entry.attempts,
    'lastError', entry.last_error,
    'runAt', public.iso_in_zone(entry.run_at, 'UTC'),
    'createdAt', public.iso_in_zone(entry.created_at, 'UTC'),
    'settledAt', public.iso_in_zone(entry.settled_at, 'UTC')
  );
$$;
revoke all on function public.describe_outbox_row(public.outbox) from public, anon, authenticated;
grant execute on function public.describe_outbox_row(public.outbox) to service_role;

-- source: supabase/schemas/functions/list_outbox.sql
-- admin-api: what was promised to be done after a request, oldest first, a page at a time.
-- `request`: workspaceId or NULL for all, status or NULL for any, limit,
-- `after` as returned in `next`. Returns {items, next}. Error: MI013.
create or replace function public.list_outbox(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'createdAt')::timestamptz, '-infinity'
  );
  after_id constant uuid := coalesce(
    (request->'after'->>'id')::uuid, '00000000-0000-0000-0000-000000000000'
  );
  records jsonb;
begin
  if request->>'workspaceId' is not null then
    perform public.find_workspace((request->>'workspaceId')::uuid);
  end if;
  select jsonb_agg(
    jsonb_build_object('createdAt', page.created_at, 'id', page.id, 'record', page.record)
    order by page.created_at, page.id
  )
  into records
  from (
    select r.created_at, r.id, public.describe_outbox_row(r) as record
    from public.outbox r
    where (r.created_at, r.id) > (after_at, after_id)
      and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
      and (request->>'status' is null or r.status = request->>'status')
    order by r.created_at, r.id
    limit page_size + 1
  ) as page;
  return public.page_of_records(records, page_size);
end;
$$;
revoke all on function public.list_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.list_outbox(jsonb) to service_role;

-- source: supabase/schemas/functions/retry_outbox.sql
-- admin-api: gives a dead outbox row its attempts again, from now on. A row that is done or still
-- pending stays as it is. `request`: outboxId, idempotency (see begin_idempotent).
-- Returns the row, {replayed}, or NULL when there is none. Errors: MI007, MI008.
create or replace function public.retry_outbox(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  entry public.outbox;
  replayed jsonb;
  outcome jsonb;
begin
  if not exists (select from public.outbox o where o.id = (request->>'outboxId')::uuid) then
    return null;
  end if;
  replayed := public.begin_idempotent(request->'idempotency');
  if replayed is not null then
    return jsonb_build_object('replayed', replayed);
  end if;
  update public.outbox o
  set status = 'pending', settled_at = null, attempts = 0, run_at = clock_timestamp()
  where o.id = (request->>'outboxId')::uuid and o.status = 'dead';
  select o.* into entry from public.outbox o where o.id = (request->>'outboxId')::uuid;
  outcome := public.describe_outbox_row(entry);
  perform public.keep_outcome(request->'idempotency', outcome, null);
  return outcome;
end;
$$;
revoke all on function public.retry_outbox(jsonb) from public, anon, authenticated;
grant execute on function public.retry_outbox(jsonb) to service_role;
