-- contacts-api: the first steps of an erasure that erase_person has recorded, as erase_contact takes them.
-- `request`: erasureId, maxRows (of a step). Returns {isComplete}: false where more is left to run_erasures.
-- One that the dispatcher has in hand, or has done, is left to it. Locks the erasure, then as erase_rows.
create or replace function public.take_erasure_steps(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  erasure messaging.erasures;
  contact messaging.contacts;
begin
  select e.* into erasure from messaging.erasures e
  where e.id = (request->>'erasureId')::uuid and e.status = 'pending' and e.work->>'part' = 'rows'
  for no key update skip locked;
  if not found then
    return jsonb '{"isComplete": true}';
  end if;
  select c.* into contact from messaging.contacts c where c.id = erasure.contact_id;
  perform messaging.lock_person(contact);
  perform messaging.lock_addresses(contact.instance_id, messaging.person_addresses(contact));
  select c.* into contact from messaging.contacts c
  where c.id = erasure.contact_id and c.merged_into is null
  for update;
  -- Merged meanwhile: the next step of run_erasures finds the survivor.
  if found then
    erasure := messaging.begin_erasing(erasure, contact, (request->>'maxRows')::integer);
  end if;
  return jsonb_build_object('isComplete', erasure.status = 'done');
end;
$$;
