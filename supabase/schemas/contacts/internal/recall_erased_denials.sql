-- walk_people: what persons had denied before an erasure at the instances `keeping` becomes a word of those of
-- these contacts that are the same persons. They are told by update_people. Errors: see known_denials.
create or replace function messaging.recall_erased_denials(
  workspace_id uuid,
  keeping uuid[],
  contact_ids uuid[]
)
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
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
