-- contacts-api: begins to erase a person, and does as much as one step can: for most persons all of it. The
-- rest is run_erasures'. From now on calls that name the contact are answered contact_erased, and what
-- waits to be sent to it is gone. The id of a merged contact erases the person it was merged into.
-- `request`: instanceId, contactId, maxRows (of a step); identityHashes {identity: hash}, the HMACs of the
-- identities under the key of kept_denials.
-- Returns {erasureId, contactId, status, counts}, see describe_erasure; or {identities}, with nothing done,
-- where the hashes of these are needed: the person has denied marketing, so that the hashes are kept, or
-- the instance keeps hashes, and those of a person who no longer denies must go.
-- Locks as erase_rows. Errors: MI031; MI035 where it was erased before; MI055 where the
-- contact was merged since it was found; the call must be repeated.
create or replace function public.erase_contact(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  max_rows constant integer := (request->>'maxRows')::integer;
  hashes constant jsonb := coalesce(nullif(request->'identityHashes', 'null'), '{}');
  contact messaging.contacts := messaging.find_recipient(of_instance, request);
  identities text[];
  erased jsonb;
  erasure messaging.erasures;
begin
  perform messaging.lock_addresses(of_instance, messaging.person_addresses(contact));
  select c.* into contact from messaging.contacts c
  where c.id = contact.id and c.merged_into is null
  for update;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  -- Two calls at once: the second waited for the contact.
  perform messaging.refuse_erased(of_instance, contact.id);
  if contact.consent_marketing = 'denied'
    or exists (select from messaging.kept_denials d where d.instance_id = of_instance)
  then
    identities := messaging.denial_identities(messaging.person_addresses(contact));
    if not hashes ?& identities then
      return jsonb_build_object('identities', to_jsonb(identities));
    end if;
    if contact.consent_marketing = 'denied' then
      insert into messaging.kept_denials (instance_id, identity_hash)
      select of_instance, hashes->>named.identity from unnest(identities) as named(identity)
      order by 2
      on conflict do nothing;
    else
      delete from messaging.kept_denials d
      where d.instance_id = of_instance
        and d.identity_hash = any (array(select h.value from jsonb_each_text(hashes) as h));
    end if;
  end if;
  insert into messaging.erasures (instance_id, contact_id, work)
  values (of_instance, contact.id, jsonb_build_object(
    'part', 'rows', 'after', null, 'marks', jsonb '[]'
  ))
  returning * into erasure;
  perform from messaging.conversations c where c.contact_id = contact.id for update;
  erasure := messaging.add_erased(erasure, messaging.erase_messages(contact, max_rows, true));
  for step in 1..8 loop
    erasure := messaging.continue_erasure(erasure, max_rows);
    exit when erasure.status = 'done' or nullif(erasure.work->'after', 'null') is not null
      or step = 1 and erasure.work->>'part' = 'rows';
  end loop;
  if erasure.work->>'part' = 'rows' then
    perform messaging.bury_contacts(of_instance, array[contact.id]);
  end if;
  return messaging.describe_erasure(erasure);
end;
$$;
