-- The template that a call of an instance names. `named`: templateId, or template {name, language}: the
-- instance's own, then the workspace's that is no other instance's. By id also one of another instance of the
-- workspace, which the caller refuses. No template that was deleted, nor by name one that the channel has
-- made itself or no longer has. One that an official channel does not have yet, which it cannot send, makes
-- none ambiguous that it has. A row of NULLs where there is none. Error: MI065 (several fit).
create or replace function messaging.find_sendable_template(
  instance messaging.instances, named jsonb
) returns messaging.message_templates language plpgsql stable set search_path = ''
set enable_seqscan = off as $$
declare
  template messaging.message_templates;
  fitting uuid[];
  is_official constant boolean := instance.provider_class = 'official';
begin
  if named->>'templateId' is not null then
    select t.* into template
    from messaging.message_templates t
    where t.id = (named->>'templateId')::uuid and t.workspace_id = instance.workspace_id
      and t.deleted_at is null;
    return template;
  end if;
  fitting := array(
    select t.id
    from messaging.message_templates t
    where t.workspace_id = instance.workspace_id
      -- Not an index condition: the templates of no instance are also those of all other workspaces.
      and coalesce(t.instance_id, instance.id) = instance.id
      and t.name = named->'template'->>'name'
      and t.language = named->'template'->>'language'
      and t.deleted_at is null and not t.is_auto_generated
      and t.provider_status is distinct from 'DELETED'
    order by t.instance_id nulls last, is_official and t.provider_template_id is null
    limit 2
  );
  select t.* into template from messaging.message_templates t where t.id = fitting[1];
  if exists (
    select from messaging.message_templates t
    where t.id = fitting[2] and t.instance_id is not distinct from template.instance_id
      and not (
        is_official and t.provider_template_id is null and template.provider_template_id is not null
      )
  ) then
    raise exception using errcode = 'MI065', message = 'template_ambiguous';
  end if;
  return template;
end;
$$;
