-- batches-api: the recipients of a batch in the order of its list, a page at a time. `request`: instanceId,
-- batchId, status (as recipient_status tells it; NULL for any), limit, `after` {index} as returned in
-- `next`. Returns {items, next}. Errors: MI027.
create or replace function public.list_batch_recipients(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
set enable_seqscan = off
as $$
declare
  batch constant messaging.batches := messaging.find_batch(request);
  zone constant text := (select i.time_zone from messaging.instances i where i.id = batch.instance_id);
  page_size constant integer := (request->>'limit')::integer;
  items jsonb;
  next jsonb;
begin
  with page as (
    select r as recipient, m as message, told.status, r.index,
      row_number() over (order by r.index) as number
    from messaging.batch_recipients r
    left join lateral (
      select f.* from messaging.messages f where f.id = r.message_id offset 0
    ) as m on true
    cross join lateral (
      select messaging.recipient_status(batch, r, m.status) as status
    ) as told
    where r.batch_id = batch.id and r.index > coalesce((request->'after'->>'index')::integer, -1)
      and (request->>'status' is null or told.status = request->>'status')
    order by r.index
    limit page_size + 1
  )
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'index', p.index,
      'contactId', (p.recipient).contact_id,
      'phone', coalesce((p.recipient).phone, c.phone),
      'status', p.status,
      'reason', (p.recipient).reason,
      'messageId', (p.recipient).message_id,
      'scheduledFor', messaging.iso_in_zone(
        case when p.status <> 'pending' then (p.message).scheduled_for end, zone
      ),
      'lastError', (p.message).last_error
    ) order by p.index) filter (where p.number <= page_size), '[]'),
    case when count(*) > page_size then
      jsonb_build_object('index', max(p.index) filter (where p.number <= page_size))
    end
  into items, next
  from page p
  left join lateral (
    select f.phone from messaging.contacts f where f.id = (p.recipient).contact_id offset 0
  ) as c on true;
  return jsonb_build_object('items', items, 'next', next);
end;
$$;
revoke all on function public.list_batch_recipients(jsonb) from public, anon, authenticated;
grant execute on function public.list_batch_recipients(jsonb) to service_role;
