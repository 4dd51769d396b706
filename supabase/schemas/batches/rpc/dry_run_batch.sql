-- batches-api: what starting a draft now would do, from `fromIndex` on, for at most `limit` recipients.
-- `request`: instanceId, batchId, fromIndex, limit. Returns {summary {send, skip, firstScheduledFor,
-- lastScheduledFor, days, and what count_open_windows gives}, items [{index, outcome, reason,
-- scheduledFor}], samples (see filled_samples), nextIndex, warnings, and what describe_estimates gives of them}.
-- It is the walk that starting takes, see walk_batches. Writes and locks nothing.
-- Errors: MI010, MI027, MI028 (no draft).
create or replace function public.dry_run_batch(request jsonb)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  batch constant messaging.batches := messaging.find_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  first constant integer := (request->>'fromIndex')::integer;
  last constant integer := first + (request->>'limit')::integer - 1;
  steps messaging.batch_step[];
begin
  if batch.status <> 'draft' then
    raise exception using errcode = 'MI028', message = 'batch_state', detail = batch.status;
  end if;
  steps := array(
    select w from messaging.walk_batches(
      instance, date_trunc('milliseconds', clock_timestamp()), batch, null, batch.id, last, null
    ) as w
  );
  return messaging.describe_dry_run(
    instance, batch, null, array(select s from unnest(steps) as s where s.index >= first),
    case when last + 1 < batch.recipient_count then last + 1 end,
    messaging.batch_warnings(batch)
  ) || messaging.describe_estimates(
    instance, batch, messaging.planned_steps(instance, batch, steps, null, first)
  ) || jsonb_build_object('samples', messaging.filled_samples(batch.id, array(
    select s.index from unnest(steps) as s
    where s.slot is not null and s.index >= first
    order by s.index
    limit 10
  )));
end;
$$;

-- What these recipients of a draft are sent, in the order of the list: [{index, message}]. A message without words
-- has NULL.
create or replace function messaging.filled_samples(batch_id uuid, indexes integer[])
returns jsonb language sql stable set search_path = '' set enable_seqscan = off as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object('index', r.index, 'message', r.draft->'message') order by r.index
    ), '[]'
  )
  from messaging.batch_recipients r
  where r.batch_id = filled_samples.batch_id and r.index = any (filled_samples.indexes);
$$;
