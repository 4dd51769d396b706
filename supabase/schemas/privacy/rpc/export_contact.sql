-- contacts-api: what is stored of a person, but for the lists that export_contact_page reads: the contact
-- with its identities, consent and conversation, all fields as the API names them, the ids that were
-- merged into it, and what the agent knows of it.
-- `request`: instanceId, contactId. Returns {contact, mergedContactIds, agentSession {collectedData,
-- createdAt, updatedAt} or NULL}. Errors: MI031, MI035.
create or replace function public.export_contact(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  contact messaging.contacts;
begin
  contact := messaging.find_recipient(instance.id, request);
  return jsonb_build_object(
    'contact', messaging.describe_contacts(instance, array[contact.id])->0,
    'mergedContactIds', (
      select coalesce(jsonb_agg(a.contact_id order by a.contact_id), '[]')
      from messaging.contact_activity a where a.merged_into = contact.id
    ),
    'agentSession', (
      select jsonb_build_object(
        'collectedData', s.collected_data,
        'createdAt', messaging.iso_in_zone(s.created_at, instance.time_zone),
        'updatedAt', messaging.iso_in_zone(s.updated_at, instance.time_zone)
      )
      from messaging.conversations v
      join messaging.agent_sessions s on s.conversation_id = v.id
      where v.contact_id = contact.id
    )
  );
end;
$$;
