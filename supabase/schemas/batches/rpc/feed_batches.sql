-- Dispatcher's maintenance: gives running batches their next message where none of theirs waits, and ends
-- those that have nothing left (see feed_instance). A settlement does so at once; this is for batches that
-- begin later, and for what went wrong or was locked then. `request`: maxInstances; instanceId for
-- one instance alone. Returns {fed}: how many
-- instances it has looked after. Passes over instances whose pacing row is locked.
create or replace function public.feed_batches(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  hungry uuid;
  fed integer := 0;
begin
  for hungry in
    select p.instance_id
    from messaging.pacing p
    where p.instance_id = any (array(
      select distinct b.instance_id
      from messaging.batches b
      where b.status = 'running'
        and b.instance_id = coalesce((request->>'instanceId')::uuid, b.instance_id)
        and messaging.batch_room(b.instance_id) > 0
    ))
    -- Those whose next slot is far away come back each time: none of them may always come first.
    order by random()
    limit (request->>'maxInstances')::integer
    for no key update skip locked
  loop
    begin
      perform messaging.feed_instance(hungry);
      fed := fed + 1;
    exception when sqlstate 'MI010' or sqlstate 'MI090' then
      -- The send window never opens: nothing can be done until it is changed. Or a reference is being taken.
      null;
    end;
  end loop;
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('fed', fed);
end;
$$;
