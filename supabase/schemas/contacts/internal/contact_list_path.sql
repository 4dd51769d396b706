-- How list_contact_ids finds the contacts of a list. `contact`: the one that is asked for. `changes`:
-- contact_activity in its order, with updatedSince. `tag`, `operator`, `consent`: all that this filter
-- leaves, where they are at most `most`. `order`: contact_search in the order of creation.
-- `filters` as in list_contact_ids.
create or replace function messaging.contact_list_path(
  instance_id uuid,
  filters jsonb,
  most integer
)
returns text
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  of_instance constant uuid := instance_id;
  of_tag constant uuid := (filters->>'tagId')::uuid;
  of_operator constant uuid := (filters->>'assignedTo')::uuid;
  of_consent constant text := filters->>'consent';
begin
  if filters ? 'contactId' then
    return 'contact';
  elsif filters ? 'updatedSince' then
    return 'changes';
  elsif of_tag is not null and (
    select count(*) <= most
    from (select from messaging.contact_tags g where g.tag_id = of_tag limit most + 1) as found
  ) then
    return 'tag';
  elsif of_operator is not null and (
    select count(*) <= most
    from (
      select from messaging.conversations v
      where v.instance_id = of_instance and v.assigned_to = of_operator
      limit most + 1
    ) as found
  ) then
    return 'operator';
  -- Nearly everybody's consent is unknown.
  elsif of_consent in ('granted', 'denied') and (
    select count(*) <= most
    from (
      select from messaging.contacts k
      where k.instance_id = of_instance and k.consent_marketing = of_consent
        and k.consent_marketing <> 'unknown'
      limit most + 1
    ) as found
  ) then
    return 'consent';
  end if;
  return 'order';
end;
$$;
