-- What keep_denial lacks of `hashes`: {instanceId, identities, instanceIds}, the contact's instance first; NULL
-- where it has all, or needs none. It needs them of a person who denies marketing, so that they are kept,
-- and where hashes are kept, because those of a person who no longer denies must go.
create or replace function messaging.lacking_hashes(contact messaging.contacts, hashes jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  keeping constant uuid[] := messaging.keeping_instances(
    array_remove(messaging.people_instances(contact.instance_id), contact.instance_id)
  );
  identities text[];
begin
  if messaging.contact_consent(contact, 'marketing') <> 'denied' and cardinality(keeping) = 0
    and cardinality(messaging.keeping_instances(array[contact.instance_id])) = 0 then
    return null;
  end if;
  identities := messaging.denial_identities(messaging.person_addresses(contact));
  if hashes ?& identities and not exists (
    select from unnest(identities) as known(identity)
    where jsonb_typeof(hashes->known.identity) = 'array'
      and jsonb_array_length(hashes->known.identity) < 1 + cardinality(keeping)
  ) then
    return null;
  end if;
  return jsonb_build_object(
    'instanceId', contact.instance_id,
    'identities', to_jsonb(identities),
    'instanceIds', to_jsonb(contact.instance_id || keeping)
  );
end;
$$;
