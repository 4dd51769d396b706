-- admin-api: ends an operator's hold of an instance, or of all instances that are held. What has become
-- due meanwhile leaves at the instance's pace and inside its window. `request`: instanceId or NULL for
-- all, idempotency. Returns {instances}: how many were held; or {replayed}. A hold by the provider's
-- refusal goes on. An instance that is named is also taken as connected again, and to the right phone: its
-- provider's word that it is may have been lost. Errors: MI007, MI008, MI014. Locks as set_operator_hold.
create or replace function public.release_queue(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  wanted_id uuid;
  held uuid[];
  replayed jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  if request->>'instanceId' is not null then
    wanted_id := (messaging.find_instance((request->>'instanceId')::uuid)).id;
  end if;
  select array_agg(d.instance_id) into held
  from messaging.dispatch d
  where d.operator_hold_until > clock
    and (wanted_id is null or d.instance_id = wanted_id);
  if exists (
    select from messaging.dispatch d
    where d.instance_id = wanted_id
      and greatest(d.disconnected_until, d.wrong_phone_until) > clock
  ) then
    perform from messaging.pacing p where p.instance_id = wanted_id for no key update;
    perform messaging.forget_connection(array[wanted_id]);
    held := array[wanted_id];
  end if;
  perform messaging.set_operator_hold(held, '-infinity', null);
  return messaging.keep_outcome(
    request, jsonb_build_object('instances', coalesce(cardinality(held), 0))
  );
end;
$$;
