-- The dispatcher's part of erasures: one step, of at most `request`.maxRows rows, of the oldest that is not
-- done. An erasure that another dispatcher has in hand is passed over.
-- Returns {erased, isComplete}: how many rows are gone; isComplete where no erasure is left to do.
-- A step is short: a call that writes to the person meanwhile waits for it.
create or replace function public.run_erasures(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  erasure messaging.erasures;
begin
  select e.* into erasure from messaging.erasures e
  where e.status = 'pending'
  order by e.requested_at
  limit 1
  for no key update skip locked;
  if not found then
    return jsonb '{"isComplete": true}';
  end if;
  perform messaging.continue_erasure(erasure, (request->>'maxRows')::integer);
  return jsonb '{"isComplete": false}';
end;
$$;
