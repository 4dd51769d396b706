-- A migration of release 1.0.0, written from supabase/schemas. Never edited: see docs/migrations.md.

set local check_function_bodies = off;

-- source: supabase/schemas/templates/internal/describe_message_template.sql
-- admin-api: a template as a response shows it.
create or replace function messaging.describe_message_template(template messaging.message_templates)
returns jsonb
language sql
stable
parallel safe
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
    'createdAt', messaging.iso_in_zone(template.created_at, 'UTC'),
    'updatedAt', messaging.iso_in_zone(template.updated_at, 'UTC')
  );
$$;
revoke all
on function messaging.describe_message_template(messaging.message_templates)
from public, anon, authenticated;
grant execute
on function messaging.describe_message_template(messaging.message_templates)
to service_role;

-- source: supabase/schemas/templates/internal/match_listed_templates.sql
-- Which stored template each template of the provider's list is; those that are new have no row.
-- `listed`: see sync_message_templates. In this order: the instance's template with that provider
-- id; the workspace's; the instance's with that name and language, if it has no provider id or one
-- that is not listed any more (deleted and made anew); the workspace's without a provider id.
create or replace function messaging.match_listed_templates(
  instance messaging.instances,
  listed jsonb
)
returns table (provider_template_id text, template_id uuid)
language sql
stable
set search_path = ''
as $$
  with entry as (
    select e."providerTemplateId" as id, e.name, e.language
    from jsonb_to_recordset(listed) as e("providerTemplateId" text, name text, language text)
  ),
  owned as (
    select r.*
    from messaging.message_templates r
    where r.workspace_id = instance.workspace_id
      -- Not an index condition: the templates of no instance are also those of all other workspaces.
      and coalesce(r.instance_id, instance.id) = instance.id
  ),
  candidate as (
    select e.id, o.id as template_id, o.created_at,
      case when o.instance_id is not null then 1 else 2 end as preference
    from entry e
    join owned o on o.provider_template_id = e.id
    union all
    select e.id, o.id, o.created_at, case when o.instance_id is not null then 3 else 4 end
    from entry e
    join owned o on o.name = e.name and o.language = e.language
    where o.provider_template_id is null
      or (
        o.instance_id is not null
        and o.provider_template_id not in (select l.id from entry l)
      )
  ),
  chosen as (
    select distinct on (c.id) c.id, c.template_id, c.preference
    from candidate c
    order by c.id, c.preference, c.created_at, c.template_id
  )
  select distinct on (c.template_id) c.id, c.template_id
  from chosen c
  order by c.template_id, c.preference, c.id;
$$;
revoke all
on function messaging.match_listed_templates(messaging.instances, jsonb)
from public, anon, authenticated;
grant execute
on function messaging.match_listed_templates(messaging.instances, jsonb)
to service_role;

-- source: supabase/schemas/templates/internal/record_template_status.sql
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

-- source: supabase/schemas/templates/rpc/begin_template_sync.sql
-- admin-api: the instance whose templates are to be read from its provider. `request`: instanceId,
-- idempotency (see begin_idempotent). Returns {provider, sealedProviderConfig, askedAt}, or
-- {replayed}: then the provider need not be asked again. Takes nothing. Errors: MI007, MI008, MI014.
create or replace function public.begin_template_sync(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  replayed jsonb := messaging.recall_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  return jsonb_build_object(
    'provider', instance.provider,
    'sealedProviderConfig', instance.sealed_provider_config,
    'askedAt', clock_timestamp()
  );
end;
$$;
revoke all on function public.begin_template_sync(jsonb) from public, anon, authenticated;
grant execute on function public.begin_template_sync(jsonb) to service_role;

-- source: supabase/schemas/templates/rpc/create_message_template.sql
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
  workspace messaging.workspaces;
  instance messaging.instances;
  template messaging.message_templates;
  replayed jsonb;
begin
  if request->>'instanceId' is not null then
    instance := messaging.find_instance((request->>'instanceId')::uuid);
  end if;
  workspace := messaging.find_workspace(
    coalesce((request->>'workspaceId')::uuid, instance.workspace_id)
  );
  if instance.workspace_id <> workspace.id then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'instanceId', 'message', 'belongs to another workspace'
    )));
  end if;
  replayed := messaging.begin_idempotent(request);
  if replayed is not null then
    return replayed;
  end if;
  insert into messaging.message_templates (
    workspace_id, instance_id, name, language, parameter_format, components, provider_status,
    provider_template_id
  )
  values (
    workspace.id, instance.id, request->>'name', request->>'language',
    request->>'parameterFormat', request->'components', request->>'providerStatus',
    request->>'providerTemplateId'
  )
  returning * into template;
  return messaging.keep_outcome(request, messaging.describe_message_template(template));
end;
$$;
revoke all on function public.create_message_template(jsonb) from public, anon, authenticated;
grant execute on function public.create_message_template(jsonb) to service_role;

-- source: supabase/schemas/templates/rpc/find_template_to_send.sql
-- What send-template-message needs before it can render. `request`: tokenId, templateId, phone,
-- idempotency (see begin_idempotent). Returns {template, contact, known}: NULL template
-- unless the workspace of the token's instance has it, NULL contact for a phone that the token's
-- instance does not know yet; known is what an earlier call with the same key came to
-- (see describe_kept_outcome).
-- Writes nothing. Errors: MI007, MI008.
create or replace function public.find_template_to_send(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance messaging.instances;
  template messaging.message_templates;
  contact messaging.contacts;
  known jsonb := messaging.recall_idempotent(request)->'replayed';
begin
  select i.* into strict instance
  from messaging.client_tokens t
  join messaging.instances i on i.id = t.instance_id
  where t.id = (request->>'tokenId')::uuid;
  select r.* into template
  from messaging.message_templates r
  where r.id = (request->>'templateId')::uuid and r.workspace_id = instance.workspace_id;
  contact := messaging.find_contact(instance.id, request->>'phone');
  return jsonb_build_object(
    'template', case when template.id is not null then
      messaging.describe_message_template(template)
    end,
    'contact', case when contact.id is not null then
      jsonb_build_object('name', contact.name, 'phone', messaging.contact_display_phone(contact))
    end,
    'known', known
  );
end;
$$;
revoke all on function public.find_template_to_send(jsonb) from public, anon, authenticated;
grant execute on function public.find_template_to_send(jsonb) to service_role;

-- source: supabase/schemas/templates/rpc/get_message_template.sql
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
revoke all on function public.get_message_template(jsonb) from public, anon, authenticated;
grant execute on function public.get_message_template(jsonb) to service_role;

-- source: supabase/schemas/templates/rpc/list_message_templates.sql
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
  page constant record := messaging.begin_page(request);
begin
  return messaging.build_page(
    array(
      select jsonb_build_object(
        'createdAt', r.created_at, 'id', r.id, 'record', messaging.describe_message_template(r)
      )
      from messaging.message_templates r
      where (r.created_at, r.id) > (page.after_at, page.after_id)
        and (request->>'workspaceId' is null or r.workspace_id = (request->>'workspaceId')::uuid)
        and (request->>'instanceId' is null or r.instance_id = (request->>'instanceId')::uuid)
      order by r.created_at, r.id
      limit page.size + 1
    ),
    page.size
  );
end;
$$;
revoke all on function public.list_message_templates(jsonb) from public, anon, authenticated;
grant execute on function public.list_message_templates(jsonb) to service_role;

-- source: supabase/schemas/templates/rpc/sync_message_templates.sql
-- admin-api: makes the stored templates of an instance what its provider's complete list says.
-- `request`: instanceId, idempotency (see begin_idempotent), askedAt (before the list was read: what
-- a webhook, a person or another sync has decided since is newer than the list), templates
-- [{providerTemplateId, name, language, parameterFormat, components, providerStatus}], each provider id once.
-- Listed templates are created, or linked to what is stored (see match_listed_templates) and brought
-- up to date; templates of the instance that are listed no more get the status DELETED and stay, as
-- messages and callers may still name them.
-- Returns {instanceId, created, updated, unchanged, deleted, items [{templateId, name, language,
-- providerStatus, providerTemplateId, change}]}, or {replayed}. Errors: MI007, MI008, MI014.
create or replace function public.sync_message_templates(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  instance messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  replayed jsonb := messaging.begin_idempotent(request);
  asked_at constant timestamptz := (request->>'askedAt')::timestamptz;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  -- Serialised: two simultaneous syncs would both create the new templates.
  perform from messaging.instances i where i.id = instance.id for no key update;

  with listed as (
    select e."providerTemplateId" as id, e.name, e.language, e."parameterFormat" as format,
      e.components, e."providerStatus" as status
    from jsonb_to_recordset(request->'templates') as e(
      "providerTemplateId" text, name text, language text, "parameterFormat" text,
      components jsonb, "providerStatus" text
    )
  ),
  matched as (
    select l.id, m.template_id, definition.*,
      case
        when r.updated_at > asked_at then coalesce(r.provider_status, l.status)
        else l.status
      end as status
    from messaging.match_listed_templates(instance, request->'templates') m
    join messaging.message_templates r on r.workspace_id = instance.workspace_id
      and r.id = m.template_id
    join listed l on l.id = m.provider_template_id
    cross join lateral (
      select l.name, l.language, l.format, l.components where r.defined_at <= asked_at
      union all
      select r.name, r.language, r.parameter_format, r.components where r.defined_at > asked_at
    ) as definition
  ),
  updated as (
    update messaging.message_templates r
    set name = m.name, language = m.language, parameter_format = m.format,
      components = m.components, provider_status = m.status, provider_template_id = m.id,
      updated_at = greatest(r.updated_at, asked_at), defined_at = greatest(r.defined_at, asked_at)
    from matched m
    where r.workspace_id = instance.workspace_id and r.id = m.template_id
      and (
        r.name, r.language, r.parameter_format, r.components, r.provider_status,
        r.provider_template_id
      ) is distinct from (m.name, m.language, m.format, m.components, m.status, m.id)
    returning r.id
  ),
  created as (
    insert into messaging.message_templates (
      workspace_id, instance_id, name, language, parameter_format, components, provider_status,
      provider_template_id, updated_at, defined_at
    )
    select instance.workspace_id, instance.id, l.name, l.language, l.format, l.components, l.status,
      l.id, asked_at, asked_at
    from listed l
    where not exists (select from matched m where m.id = l.id)
    returning id, provider_template_id
  ),
  deleted as (
    update messaging.message_templates r
    set provider_status = 'DELETED', updated_at = asked_at
    where r.instance_id = instance.id
      and r.provider_template_id is not null
      and r.provider_status is distinct from 'DELETED'
      and r.updated_at <= asked_at
      and not exists (select from listed l where l.id = r.provider_template_id)
      and not exists (select from matched m where m.template_id = r.id)
    returning r.id, r.name, r.language, r.provider_status as status, r.provider_template_id
  ),
  item as (
    select coalesce(m.template_id, c.id) as template_id, coalesce(m.name, l.name) as name,
      coalesce(m.language, l.language) as language, coalesce(m.status, l.status) as status, l.id,
      case
        when c.id is not null then 'created'
        when exists (select from updated u where u.id = m.template_id) then 'updated'
        else 'unchanged'
      end as change
    from listed l
    left join matched m on m.id = l.id
    left join created c on c.provider_template_id = l.id
    union all
    select d.id, d.name, d.language, d.status, d.provider_template_id, 'deleted' from deleted d
  )
  select jsonb_build_object(
    'instanceId', instance.id,
    'created', count(*) filter (where i.change = 'created'),
    'updated', count(*) filter (where i.change = 'updated'),
    'unchanged', count(*) filter (where i.change = 'unchanged'),
    'deleted', count(*) filter (where i.change = 'deleted'),
    'items', coalesce(
      jsonb_agg(
        jsonb_build_object(
          'templateId', i.template_id,
          'name', i.name,
          'language', i.language,
          'providerStatus', i.status,
          'providerTemplateId', i.id,
          'change', i.change
        )
        order by i.name, i.language, i.id
      ),
      '[]'
    )
  ) into outcome
  from item i;
  return messaging.keep_outcome(request, outcome);
end;
$$;
revoke all on function public.sync_message_templates(jsonb) from public, anon, authenticated;
grant execute on function public.sync_message_templates(jsonb) to service_role;

-- source: supabase/schemas/templates/rpc/update_message_template.sql
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
  template messaging.message_templates;
begin
  update messaging.message_templates r
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
  return messaging.describe_message_template(template);
end;
$$;
revoke all on function public.update_message_template(jsonb) from public, anon, authenticated;
grant execute on function public.update_message_template(jsonb) to service_role;
