-- change_people_scopes: the next `max_contacts` contacts of the workspace, instance by instance, in the order of
-- contact_search. While it collects, what each has said last becomes a word of its person; the log knows when
-- it was said again. So does what was said before an erasure at any instance. While it tells, the person's contacts follow its newest word.
-- Returns the change as it goes on; its phase is NULL at the end.
create or replace function messaging.walk_people(
  change messaging.people_scope_changes,
  max_contacts integer
)
returns messaging.people_scope_changes
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
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
