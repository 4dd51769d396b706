-- contacts-api: begins to erase a person at every instance of a workspace with the peopleScope `workspace`. From
-- now on calls that name a contact of theirs are answered contact_erased. What it records is done by
-- take_erasure_steps, each instance in a transaction of its own, and by run_erasures where that does not come.
-- `request`: instanceId, contactId; identityHashes {<instance>: see erase_contact}.
-- Returns {erasureId, contactId, status, counts} of the named contact, which reports on all, and erasureIds;
-- or {needed: [see lacking_hashes]}, with nothing done, where hashes are needed.
-- Locks the person over the workspace (see lock_person), then the contacts in the order of their ids, only if they
-- are free, at the end the tombstones in the same order: it waits for nothing while it holds a contact.
-- Errors: MI031, MI035, MI071; MI055 where a contact is not free: the call must be repeated.
create or replace function public.erase_person(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  hashes constant jsonb := coalesce(nullif(request->'identityHashes', 'null'), '{}');
  named messaging.contacts := messaging.find_recipient((request->>'instanceId')::uuid, request);
  contact_ids uuid[] := messaging.person_of(named);
  contacts messaging.contacts[];
  needed jsonb;
  leader messaging.erasures;
begin
  perform messaging.lock_person(named);
  -- Another erasure of the person may have been waited for.
  perform messaging.refuse_erased(named.instance_id, named.id);
  contact_ids := messaging.person_of(named);
  contacts := array(
    select c from messaging.contacts c
    where c.id = any (contact_ids) and c.merged_into is null
    order by c.id
    for no key update skip locked
  );
  if cardinality(contacts) < cardinality(contact_ids) then
    raise exception using errcode = 'MI055', message = 'held meanwhile';
  end if;
  select jsonb_agg(lacking.hashes) into needed
  from unnest(contacts) as c
  cross join lateral (
    select messaging.lacking_hashes(c, coalesce(hashes->c.instance_id::text, '{}')) as hashes
  ) as lacking
  where lacking.hashes is not null;
  if needed is not null then
    return jsonb_build_object('needed', needed);
  end if;
  perform messaging.keep_denial(c, coalesce(hashes->c.instance_id::text, '{}'))
  from unnest(contacts) as c;
  insert into messaging.erasures (instance_id, contact_id, work)
  values (named.instance_id, named.id, jsonb '{"part": "rows", "after": null, "marks": []}')
  returning * into leader;
  insert into messaging.erasures (instance_id, contact_id, work, leader_id)
  select c.instance_id, c.id, leader.work, leader.id
  from unnest(contacts) as c
  where c.id <> named.id;
  perform messaging.bury_contacts(c.instance_id, array[c.id])
  from unnest(contacts) as c;
  return messaging.describe_erasure(leader) || jsonb_build_object('erasureIds', array(
    select e.id from messaging.erasures e
    where e.id = leader.id or e.leader_id = leader.id
    order by e.leader_id nulls first, e.id
  ));
end;
$$;
