-- Why a rung of a ladder cannot be taken now, as answers say it; NULL where it can. `rung`: {rung, reason (what
-- was wrong with it when it was filled), templateId, purpose, …}.
create or replace function messaging.rung_refusal(
  instance messaging.instances, contact messaging.contacts, rung jsonb
) returns text language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  template messaging.message_templates;
begin
  if rung->>'reason' is not null then
    return rung->>'reason';
  elsif rung->>'rung' = 'directSend' then
    return case when not instance.direct_send then 'direct_send_off' end;
  end if;
  select t.* into template from messaging.message_templates t
  where t.id = (rung->>'templateId')::uuid and t.deleted_at is null;
  return case
    when template.id is null then 'template_not_found'
    when template.provider_template_id is null then 'template_not_synced_with_provider'
    when template.provider_status is distinct from 'APPROVED' then 'template_not_approved'
    when messaging.denies_marketing(
      messaging.contact_consent(contact, rung->>'purpose'), rung->>'purpose'
    ) then 'contact_opted_out'
  end;
end;
$$;
