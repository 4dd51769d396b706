-- The dispatcher's part of peopleScope `workspace`: brings what persons have said at one instance to their
-- contacts at the others (`request`.maxPersons of those that are due), and takes one step, of at most
-- `request`.maxContacts contacts, of the oldest change of a workspace's scope (see change_people_scopes).
-- Returns {isComplete}: whether nothing is left that could be done now. Errors: MI037, see known_denials.
create or replace function public.update_people(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  has_more boolean;
  has_step boolean;
begin
  perform messaging.take_denial_hashes(request);
  has_more := messaging.update_noted_persons((request->>'maxPersons')::integer);
  has_step := messaging.change_people_scopes(
    (request->>'maxPersons')::integer, (request->>'maxContacts')::integer
  );
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('isComplete', not (has_more or has_step));
end;
$$;

-- The dispatcher's part of person_updates: at most `max_persons` of those that are due. Returns whether there
-- may be more. One that another transaction holds a contact of is due again in a second.
create or replace function messaging.update_noted_persons(max_persons integer)
returns boolean language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off as $$
declare
  due messaging.person_updates;
  looked_at integer := 0;
begin
  for due in
    select u.* from messaging.person_updates u
    where u.next_at <= clock_timestamp()
    order by u.next_at, u.id
    limit max_persons
    for update skip locked
  loop
    looked_at := looked_at + 1;
    if messaging.tell_person(due.contact_id, true) then
      delete from messaging.person_updates u where u.id = due.id;
    else
      update messaging.person_updates u set next_at = clock_timestamp() + interval '1 second'
      where u.id = due.id;
    end if;
  end loop;
  return looked_at >= max_persons;
end;
$$;

-- One step of a change of a workspace's peopleScope. What is said from the change on follows it at once: each
-- instance's row says the scope. This brings what was said before.
-- To `workspace`: the transactions under way end (`waiting`); what each contact has said last becomes a word of
-- its person (`collecting`, `max_contacts` contacts a step); the newest word of each person is brought to its
-- contacts (`telling`, `max_persons`). To `instance`: every contact keeps the consent that it has, and the words go
-- (`forgetting`). A step is one transaction, and where it stands is stored with it: one that is cut off is
-- taken again.
-- Returns whether a step was taken. A change that another dispatcher has in hand is passed over.
create or replace function messaging.change_people_scopes(max_persons integer, max_contacts integer)
returns boolean language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off as $$
declare
  change messaging.people_scope_changes;
begin
  select c.* into change from messaging.people_scope_changes c
  where c.phase <> 'waiting' or c.waits_for is null or not exists (
    select from pg_catalog.pg_locks l where l.virtualtransaction = any (c.waits_for)
  )
  order by c.started_at
  limit 1
  for no key update skip locked;
  if not found then
    return false;
  end if;
  if change.phase = 'waiting' and change.waits_for is null then
    change.waits_for := array(
      select distinct l.virtualtransaction
      from pg_catalog.pg_locks l
      where l.locktype = 'advisory' and l.objsubid = 2 and l.pid <> pg_backend_pid()
        and l.classid = any (0::oid || array(
          select (uuid_hash(i.id)::bigint & 4294967295)::oid
          from messaging.instances i where i.workspace_id = change.workspace_id
        ))
        and l.database = (
          select d.oid from pg_catalog.pg_database d where d.datname = current_database()
        )
    );
  elsif change.phase = 'waiting' then
    change.waits_for := null;
    select case w.people_scope when 'instance' then 'forgetting' else 'collecting' end
    into change.phase
    from messaging.workspaces w where w.id = change.workspace_id;
    if change.phase = 'collecting' then
      select count(*) into change.total
      from messaging.instances i
      join messaging.contact_search s on s.instance_id = i.id
      where i.workspace_id = change.workspace_id;
    end if;
  elsif change.phase = 'forgetting' then
    change := messaging.forget_words(change, max_contacts);
  else
    change := messaging.walk_people(
      change, case when change.phase = 'telling' then max_persons else max_contacts end
    );
  end if;
  if change.phase is null then
    delete from messaging.people_scope_changes c where c.workspace_id = change.workspace_id;
  else
    update messaging.people_scope_changes c
    set phase = change.phase, waits_for = change.waits_for, instance_id = change.instance_id,
      after_at = change.after_at, after_id = change.after_id, done = change.done, total = change.total
    where c.workspace_id = change.workspace_id;
  end if;
  return true;
end;
$$;

-- change_people_scopes: deletes at most `max_words` words of a workspace in which instances stand for themselves
-- again, once its contacts follow them. Returns the change as it goes on; its phase is NULL at the end.
create or replace function messaging.forget_words(
  change messaging.people_scope_changes, max_words integer
) returns messaging.people_scope_changes language plpgsql set search_path = '' as $$
declare
  gone integer;
begin
  if exists (
    select from messaging.person_updates u where u.workspace_id = change.workspace_id
  ) then
    return change;
  end if;
  delete from messaging.person_words w
  where w.id = any (array(
    select old.id from messaging.person_words old
    where old.workspace_id = change.workspace_id
    limit max_words
    for update skip locked
  ));
  get diagnostics gone = row_count;
  change.done := change.done + gone;
  if gone = 0 then
    change.phase := null;
  end if;
  return change;
end;
$$;

-- change_people_scopes: the next `max_contacts` contacts of the workspace, instance by instance, in the order of
-- contact_search. While it collects, what each has said last becomes a word of its person; the log knows when
-- it was said again. So does what was said before an erasure at any instance. While it tells, the person's
-- contacts follow its newest word. Returns the change as it goes on; its phase is NULL at the end.
create or replace function messaging.walk_people(
  change messaging.people_scope_changes, max_contacts integer
) returns messaging.people_scope_changes language plpgsql set search_path = ''
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  page record;
  keeping uuid[];
begin
  if change.phase = 'collecting' then
    keeping := messaging.keeping_instances(
      array(select i.id from messaging.instances i where i.workspace_id = change.workspace_id)
    );
    -- A person's hashes are as many as the instances that keep some.
    max_contacts := greatest(max_contacts / (1 + cardinality(keeping)), 1);
  end if;
  select coalesce(array_agg(s.contact_id order by s.created_at, s.contact_id), '{}') as contact_ids,
    max(s.created_at) as last_at,
    (array_agg(s.contact_id order by s.created_at desc, s.contact_id desc))[1] as last_id
  into page
  from (
    select found.contact_id, found.created_at
    from messaging.contact_search found
    where found.instance_id = change.instance_id
      and (found.created_at, found.contact_id) > (change.after_at, change.after_id)
    order by found.created_at, found.contact_id
    limit max_contacts
  ) as s;
  if change.phase = 'collecting' then
    insert into messaging.person_words (workspace_id, identity_key, marketing, said_at, source)
    select change.workspace_id, known.identity_key, c.consent_marketing,
      greatest(c.consent_at, said.again_at), coalesce(c.consent_source, 'api')
    from unnest(page.contact_ids) as walked(contact_id)
    join messaging.contacts c on c.id = walked.contact_id
    left join lateral (
      select max(l.said_at) as again_at
      from messaging.consent_log l
      where l.contact_id = c.id and l.marketing = c.consent_marketing
    ) as said on true
    cross join lateral messaging.person_identities(c.id) as known
    where c.consent_marketing <> 'unknown' and c.merged_into is null
      and greatest(c.consent_at, said.again_at) is not null;
    perform messaging.recall_erased_denials(change.workspace_id, keeping, page.contact_ids);
  else
    insert into messaging.person_updates (workspace_id, contact_id)
    select change.workspace_id, c.id
    from unnest(page.contact_ids) as walked(contact_id)
    join messaging.contacts c on c.id = walked.contact_id
    where c.consent_marketing <> 'unknown' and c.merged_into is null
      and not messaging.tell_person(c.id);
  end if;
  change.done := change.done + cardinality(page.contact_ids);
  if cardinality(page.contact_ids) = max_contacts then
    change.after_at := page.last_at;
    change.after_id := page.last_id;
    return change;
  end if;
  change.after_at := '-infinity';
  change.after_id := '00000000-0000-0000-0000-000000000000';
  select i.id into change.instance_id
  from messaging.instances i
  where i.workspace_id = change.workspace_id
    and (change.instance_id is null or i.id > change.instance_id)
  order by i.id
  limit 1;
  if change.instance_id is null and change.phase = 'collecting' then
    change.phase := 'telling';
    change.done := 0;
  elsif change.instance_id is null then
    change.phase := null;
  end if;
  return change;
end;
$$;

-- walk_people: what persons had denied before an erasure at the instances `keeping` becomes a word of those of
-- these contacts that are the same persons. update_people brings it to them. Errors: see known_denials.
create or replace function messaging.recall_erased_denials(
  workspace_id uuid, keeping uuid[], contact_ids uuid[]
) returns void language plpgsql set search_path = '' as $$
declare
  identities constant text[] := array(
    select distinct known.identity_key
    from unnest(contact_ids) as walked(contact_id)
    cross join lateral messaging.person_identities(walked.contact_id) as known
    where cardinality(keeping) > 0
  );
  denied text[];
begin
  with denials as (
    select k.identity_key, k.kept_at from messaging.known_denials(keeping, identities) as k
  ),
  said as (
    insert into messaging.person_words (workspace_id, identity_key, marketing, said_at, source)
    select recall_erased_denials.workspace_id, d.identity_key, 'denied', d.kept_at, 'erasure'
    from denials d
    returning identity_key
  )
  select array_agg(said.identity_key) into denied from said;
  insert into messaging.person_updates (workspace_id, contact_id)
  select distinct recall_erased_denials.workspace_id, c.id
  from unnest(contact_ids) as walked(contact_id)
  join messaging.contacts c on c.id = walked.contact_id and c.merged_into is null
  cross join lateral messaging.person_identities(c.id) as known
  where known.identity_key = any (denied);
end;
$$;
