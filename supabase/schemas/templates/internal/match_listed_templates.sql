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
