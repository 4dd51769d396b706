-- Part of an erasure: keeps the hashes of a person who denies marketing, and deletes those of one who no longer
-- does. `hashes` {identity: [the hash at the contact's instance, those at the others of people_instances that
-- keep denials]}; a text in place of a list of one. The caller has asked lacking_hashes.
-- Another instance's hashes go only where the person has said something since.
create or replace function messaging.keep_denial(contact messaging.contacts, hashes jsonb)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  if messaging.contact_consent(contact, 'marketing') = 'denied' then
    insert into messaging.kept_denials (instance_id, identity_hash)
    select contact.instance_id, coalesce(hashes->known.identity->>0, hashes->>known.identity)
    from jsonb_object_keys(hashes) as known(identity)
    order by 2
    on conflict do nothing;
    return;
  end if;
  delete from messaging.kept_denials d
  where d.instance_id = any (messaging.people_instances(contact.instance_id))
    and d.identity_hash = any (array(
      select hash.value
      from jsonb_each(hashes) as known
      cross join lateral jsonb_array_elements_text(
        case jsonb_typeof(known.value)
          when 'array' then known.value
          else jsonb_build_array(known.value)
        end
      ) as hash
    ))
    and (d.instance_id = contact.instance_id or d.kept_at <= contact.consent_at);
end;
$$;

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

-- Makes a contact `denied` that has said nothing and turns out, by further addresses, to be a person who had
-- denied marketing before an erasure; what its person has said at other instances counts too, see
-- note_person. The caller holds the contact locked. Errors: see known_denials.
create or replace function messaging.recall_denials(
  instance_id uuid, contact_id uuid, addresses text[]
) returns void language plpgsql set search_path = '' as $$
declare
  of_instances constant uuid[] := messaging.people_instances(recall_denials.instance_id);
  counts_for_person constant boolean := cardinality(of_instances) > 1;
  contact messaging.contacts;
  identity text;
  kept_at timestamptz;
begin
  select c.* into contact from messaging.contacts c where c.id = recall_denials.contact_id;
  if counts_for_person then
    perform messaging.note_person(contact);
  end if;
  if contact.consent_marketing is distinct from 'unknown'
    or cardinality(messaging.keeping_instances(of_instances)) = 0 then
    return;
  end if;
  foreach identity in array messaging.denial_identities(addresses) loop
    kept_at := messaging.kept_denial_at(recall_denials.instance_id, identity);
    if kept_at is not null then
      perform messaging.change_consent(
        recall_denials.contact_id,
        jsonb_build_object(
          'marketing', 'denied', 'source', 'erasure',
          -- When it was said counts beside what the person has said elsewhere.
          'saidAt', case when counts_for_person then kept_at end
        )
      );
      return;
    end if;
  end loop;
end;
$$;

-- Since when kept_denials knows an identity of the instance, or of another one that people_instances names;
-- NULL where it does not. Errors: see known_denials.
create or replace function messaging.kept_denial_at(instance_id uuid, identity text)
returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  keeping constant uuid[] := messaging.keeping_instances(
    messaging.people_instances(kept_denial_at.instance_id)
  );
begin
  if cardinality(keeping) = 0 then
    return null;
  end if;
  return (select k.kept_at from messaging.known_denials(keeping, array[identity]) as k);
end;
$$;

-- Which of these identities (see denial_identities) kept_denials knows at the instances `keeping`, and since when.
-- The caller of the RPC gives the identities' hashes: see take_denial_hashes.
-- Errors: MI037 where hashes are kept and those of an identity were not given: the call must be repeated
-- with them. Its detail says for which instances and identities.
create or replace function messaging.known_denials(keeping uuid[], identities text[])
returns table (identity_key text, kept_at timestamptz) language plpgsql stable set search_path = ''
set enable_seqscan = off as $$
declare
  given constant jsonb := nullif(current_setting('messaging.denial_hashes', true), '')::jsonb;
begin
  if cardinality(keeping) > 0 and (given ?& identities) is not true then
    raise exception using errcode = 'MI037', message = 'denial_hashes_needed',
      detail = jsonb_build_object('instanceIds', keeping, 'identities', identities)::text;
  end if;
  return query
  select known.identity_key, max(d.kept_at)
  from unnest(identities) as known(identity_key)
  cross join lateral jsonb_array_elements_text(
    case jsonb_typeof(given->known.identity_key)
      when 'array' then given->known.identity_key
      else jsonb_build_array(given->known.identity_key)
    end
  ) as hash
  join messaging.kept_denials d on d.instance_id = any (keeping) and d.identity_hash = hash
  group by known.identity_key;
end;
$$;

-- Those of these instances that keep denials of erased persons.
create or replace function messaging.keeping_instances(of_instances uuid[])
returns uuid[] language plpgsql stable set search_path = '' as $$
begin
  return array(
    select i.id from unnest(of_instances) as i(id)
    where exists (select from messaging.kept_denials d where d.instance_id = i.id)
  );
end;
$$;

-- Takes the hashes that a repeated call brings, for known_denials: `request`.denialHashes {identity: HMAC}. They
-- hold until the transaction ends. A call that brings none changes nothing.
create or replace function messaging.take_denial_hashes(request jsonb)
returns void language plpgsql set search_path = '' as $$
begin
  if request ? 'denialHashes' then
    perform set_config('messaging.denial_hashes', request->>'denialHashes', true);
  end if;
end;
$$;

-- The identities of a person that kept_denials keeps hashes of: the keys by which an import, a call or an
-- event would find the person again. A username is none: it can pass to another person.
create or replace function messaging.denial_identities(addresses text[])
returns text[] language sql immutable parallel safe set search_path = '' as $$
  select coalesce(array_agg(distinct messaging.phone_identity_key(known.address)), '{}')
  from unnest(addresses) as known(address)
  where known.address not like 'username:%';
$$;

-- The instances at which what a person says counts for the person at this one: itself, and, where the workspace's
-- peopleScope is `workspace`, its others.
create or replace function messaging.people_instances(instance_id uuid)
returns uuid[] language plpgsql stable set search_path = '' as $$
declare
  instance record;
begin
  select i.workspace_id, i.people_scope into instance
  from messaging.instances i where i.id = people_instances.instance_id;
  if instance.people_scope = 'workspace' then
    return array(select i.id from messaging.instances i where i.workspace_id = instance.workspace_id);
  end if;
  return array[people_instances.instance_id];
end;
$$;
