-- batches-api: the recipients of a batch in the order of its list, a page at a time. `request`: instanceId,
-- batchId, status (as recipient_status tells it; NULL for any), limit, `after` {index} as returned in
-- `next`. Returns {items, next}. Of one that is queued it tells what its message waits for, of a pending one
-- that its batch is paused; of pending recipients of a running batch it tells the slot that is forecast, or
-- why they would get none: see walk_batches. Errors: MI027.
-- Over 80 lines: the members of one record, a line each.
create or replace function public.list_batch_recipients(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  batch constant messaging.batches := messaging.find_batch(request);
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
  page_size constant integer := (request->>'limit')::integer;
  -- Nobody knows the slots of a queue that is held until somebody releases it, or disconnected.
  is_held constant boolean := exists (
    select from messaging.dispatch d
    where d.instance_id = instance.id
      and messaging.stopped_until(d) = 'infinity'
  );
  budget_ends_at constant timestamptz := messaging.reached_budget_ends_at(
    instance, clock_timestamp()
  );
  rows jsonb[];
  last_pending integer;
  forecast jsonb := '{}';
begin
  rows := array(
    select jsonb_build_object(
      'index', r.index,
      'contactId', r.contact_id,
      'phone', coalesce(r.phone, c.phone),
      'status', told.status,
      'reason', r.reason,
      'messageId', r.message_id,
      'questionId', m.question_id,
      'cardId', r.card_id,
      'scheduledFor', case
        when told.status = 'queued' then waiting.record->'scheduledFor'
        when told.status <> 'pending' then
          to_jsonb(messaging.iso_in_zone(m.scheduled_for, instance.time_zone))
      end,
      'heldBy', case
        when told.status = 'pending' and batch.status = 'paused' then '"batch_paused"'
        else waiting.record->'heldBy'
      end,
      'holdReason', waiting.record->'holdReason',
      'holdCode', waiting.record->'holdCode',
      'heldUntil', waiting.record->'heldUntil',
      'sentAt', messaging.iso_in_zone(m.sent_at, instance.time_zone),
      'deliveredAt', messaging.iso_in_zone(m.delivered_at, instance.time_zone),
      'readAt', messaging.iso_in_zone(m.read_at, instance.time_zone),
      'lastError', messaging.shown_error(m.last_error)
    )
    from messaging.batch_recipients r
    left join lateral (
      select f.* from messaging.messages f where f.id = r.message_id offset 0
    ) as m on true
    left join lateral (
      select f.phone from messaging.contacts f where f.id = r.contact_id offset 0
    ) as c on true
    cross join lateral (
      select messaging.recipient_status(batch, r, m.status) as status
    ) as told
    -- As messages-api tells it: how things stand now.
    cross join lateral (
      select case
        when told.status = 'queued' then messaging.describe_message(m, budget_ends_at)
      end as record
      offset 0
    ) as waiting
    where r.batch_id = batch.id and r.index > coalesce((request->'after'->>'index')::integer, -1)
      and (request->>'status' is null or told.status = request->>'status')
    order by r.index
    limit page_size + 1
  );
  select max((f.found->>'index')::integer) into last_pending
  from unnest(rows[:page_size]) as f(found)
  where f.found->>'status' = 'pending';
  if batch.status = 'running' and last_pending is not null then
    begin
      select coalesce(jsonb_object_agg(w.index, jsonb_build_object(
        'scheduledFor', case when not is_held then
          messaging.iso_in_zone(w.slot, instance.time_zone)
        end, 'reason', w.reason
      )), '{}')
      into forecast
      from messaging.walk_batches(
        instance, date_trunc('milliseconds', clock_timestamp()), null, null, batch.id, last_pending, null
      ) as w
      where w.reason is distinct from 'settled';
    exception when sqlstate 'MI010' then
      null;
    end;
  end if;
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(
        f.found || coalesce(
          case when f.found->>'status' = 'pending' then forecast->(f.found->>'index') end, '{}'
        )
        order by (f.found->>'index')::integer
      ), '[]')
      from unnest(rows[:page_size]) as f(found)
    ),
    'next', case when cardinality(rows) > page_size then
      jsonb_build_object('index', rows[page_size]->'index')
    end
  );
end;
$$;
