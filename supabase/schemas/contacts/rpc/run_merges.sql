-- The dispatcher's part of merges: one step of one that is not done, of at most `request`.maxRows messages
-- (see move_merged_messages). One that another dispatcher has in hand, or with a held contact, is passed
-- over. Returns {isComplete}: whether none is left that can go on.
-- Locks the survivor, then the merged contact, as a merge or an erasure of the survivor does: their first
-- lock is the survivor.
create or replace function public.run_merges(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  merge record;
begin
  for merge in
    select c.id, c.merged_into from messaging.contacts c
    where c.merged_into is not null
    order by c.merged_into
    limit 100
  loop
    perform from messaging.contacts k where k.id = merge.merged_into for key share skip locked;
    continue when not found;
    perform from messaging.contacts c
    where c.id = merge.id and c.merged_into = merge.merged_into
    for update skip locked;
    continue when not found;
    perform messaging.move_merged_messages(merge.id, (request->>'maxRows')::integer);
    return jsonb '{"isComplete": false}';
  end loop;
  return jsonb '{"isComplete": true}';
end;
$$;
