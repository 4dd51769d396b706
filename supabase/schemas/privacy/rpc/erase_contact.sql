-- contacts-api: begins to erase a person, and does as much as one step can: for most persons all of it. The
-- rest is run_erasures'. From now on calls that name the contact are answered contact_erased, and what
-- waits to be sent to it is gone. The id of a merged contact erases the person it was merged into.
-- `request`: instanceId, contactId, maxRows (of a step); identityHashes {identity: [hash, …]}, the HMACs of the
-- identities under the key of kept_denials, of each as many as there are instanceIds.
-- Returns {erasureId, contactId, status, counts}, see describe_erasure; or {instanceId, identities, instanceIds}, with
-- nothing done, where the hashes of these are needed: see lacking_hashes.
-- Locks as erase_rows. Errors: MI031; MI035 where it was erased before; MI055 where the
-- contact was merged since it was found; the call must be repeated.
create or replace function public.erase_contact(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  max_rows constant integer := (request->>'maxRows')::integer;
  hashes constant jsonb := coalesce(nullif(request->'identityHashes', 'null'), '{}');
  contact messaging.contacts := messaging.find_recipient(of_instance, request);
  needed jsonb;
  erasure messaging.erasures;
begin
  perform messaging.lock_person(contact);
  perform messaging.lock_addresses(of_instance, messaging.person_addresses(contact));
  select c.* into contact from messaging.contacts c
  where c.id = contact.id and c.merged_into is null
  for update;
  if not found then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  -- Two calls at once: the second waited for the contact.
  perform messaging.refuse_erased(of_instance, contact.id);
  needed := messaging.lacking_hashes(contact, hashes);
  if needed is not null then
    return needed;
  end if;
  perform messaging.keep_denial(contact, hashes);
  insert into messaging.erasures (instance_id, contact_id, work)
  values (of_instance, contact.id, jsonb_build_object(
    'part', 'rows', 'after', null, 'marks', jsonb '[]'
  ))
  returning * into erasure;
  return messaging.describe_erasure(messaging.begin_erasing(erasure, contact, max_rows));
end;
$$;
