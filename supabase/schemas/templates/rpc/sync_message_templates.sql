-- admin-api: makes the stored templates of an instance what its provider's complete list says.
-- `request`: instanceId, idempotency (see begin_idempotent), askedAt (before the list was read: what
-- a webhook, a person or another sync has decided since is newer than the list), templates
-- [{providerTemplateId, name, language, parameterFormat, components, category, providerStatus}], each provider id once.
-- Listed templates are created, or linked to what is stored (see match_listed_templates) and brought
-- up to date; templates of the instance that are listed no more get the status DELETED and stay, as
-- messages and callers may still name them. Records an event of each stored template whose status is
-- another one now.
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
  changed uuid[];
begin
  if replayed is not null then
    return replayed;
  end if;
  -- Serialised: two simultaneous syncs would both create the new templates.
  perform from messaging.instances i where i.id = instance.id for no key update;
  -- A decision that arrives meanwhile waits, so that each change is told once.
  perform from messaging.message_templates r
  where r.workspace_id = instance.workspace_id
    and coalesce(r.instance_id, instance.id) = instance.id
  order by r.id
  for no key update;

  with listed as (
    select e."providerTemplateId" as id, e.name, e.language, e."parameterFormat" as format,
      e.components, e.category, e."providerStatus" as status
    from jsonb_to_recordset(request->'templates') as e(
      "providerTemplateId" text, name text, language text, "parameterFormat" text,
      components jsonb, category text, "providerStatus" text
    )
  ),
  matched as (
    select l.id, m.template_id, r.provider_status as former_status, definition.*,
      case
        when r.updated_at > asked_at then coalesce(r.provider_status, l.status)
        else l.status
      end as status
    from messaging.match_listed_templates(instance, request->'templates') m
    join messaging.message_templates r on r.workspace_id = instance.workspace_id
      and r.id = m.template_id
    join listed l on l.id = m.provider_template_id
    cross join lateral (
      select l.name, l.language, l.format, l.components, coalesce(l.category, r.category) as category
      where r.defined_at <= asked_at
      union all
      select r.name, r.language, r.parameter_format, r.components, r.category
      where r.defined_at > asked_at
    ) as definition
  ),
  updated as (
    update messaging.message_templates r
    set name = m.name, language = m.language, parameter_format = m.format,
      components = m.components, category = m.category, provider_status = m.status, provider_template_id = m.id,
      updated_at = greatest(r.updated_at, asked_at), defined_at = greatest(r.defined_at, asked_at)
    from matched m
    where r.workspace_id = instance.workspace_id and r.id = m.template_id
      and (
        r.name, r.language, r.parameter_format, r.components, r.category, r.provider_status,
        r.provider_template_id
      ) is distinct from (
        m.name, m.language, m.format, m.components, m.category, m.status, m.id
      )
    returning r.id, m.status is distinct from m.former_status as is_decided
  ),
  created as (
    insert into messaging.message_templates (
      workspace_id, instance_id, name, language, parameter_format, components, provider_status,
      provider_template_id, updated_at, defined_at, category
    )
    select instance.workspace_id, instance.id, l.name, l.language, l.format, l.components, l.status,
      l.id, asked_at, asked_at, l.category
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
  ), (
    select array_agg(decided.id)
    from (
      select u.id from updated u where u.is_decided
      union all
      select d.id from deleted d
    ) as decided
  ) into outcome, changed
  from item i;
  perform messaging.record_template_changes(changed);
  return messaging.keep_outcome(request, outcome);
end;
$$;
