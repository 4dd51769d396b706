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
as $$
begin
  return case
    when filters ? 'contactId' then 'contact'
    when filters ? 'updatedSince' then 'changes'
    when messaging.is_few(instance_id, 'tag', filters->>'tagId', most) then 'tag'
    when messaging.is_few(instance_id, 'operator', filters->>'assignedTo', most) then 'operator'
    -- Nearly everybody's consent is unknown.
    when filters->>'consent' in ('granted', 'denied')
      and messaging.is_few(instance_id, 'consent', filters->>'consent', most) then 'consent'
    else 'order'
  end;
end;
$$;
