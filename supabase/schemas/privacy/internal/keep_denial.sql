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
