-- messages-api: what waits to be sent on an instance, in order. `request`: instanceId, limit, and
-- to go on `after` {scheduledAt, position} as returned in `next`.
-- Returns {items, total, next}; `position` of an item is its place in the line, from 1, and
-- `scheduledFor` its slot, or the end of its instance's hold where that is later.
create or replace function public.list_message_queue(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  instance public.instances;
  page_size constant integer := (request->>'limit')::integer;
  after_at constant timestamptz := coalesce(
    (request->'after'->>'scheduledAt')::timestamptz, '-infinity'
  );
  after_position constant bigint := coalesce((request->'after'->>'position')::bigint, 0);
  held_until constant timestamptz := (
    select d.hold_until from public.dispatch d
    where d.instance_id = (request->>'instanceId')::uuid
  );
  total bigint;
  passed bigint;
  items jsonb;
  next jsonb;
begin
  select i.* into strict instance from public.instances i
  where i.id = (request->>'instanceId')::uuid;
  select count(*), count(*) filter (
    where (q.scheduled_at, q.position) <= (after_at, after_position)
  )
  into total, passed
  from public.message_queue q
  where q.instance_id = instance.id and q.claim_token is null;
  with page as (
    select q.message_id, q.scheduled_at, q.position, q.due_at is null as is_paced,
      row_number() over (order by q.scheduled_at, q.position) as row_number
    from public.message_queue q
    where q.instance_id = instance.id and q.claim_token is null
      and (q.scheduled_at, q.position) > (after_at, after_position)
    order by q.scheduled_at, q.position
    limit page_size + 1
  )
  select
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'messageId', m.id,
          'phone', coalesce(m.phone_given, c.phone),
          'messageType', m.message_type,
          'scheduledFor', public.iso_in_zone(
            greatest(page.scheduled_at, case when page.is_paced then held_until end),
            instance.time_zone
          ),
          'heldBy', m.held_by,
          'position', passed + page.row_number
        )
        order by page.row_number
      ) filter (where page.row_number <= page_size),
      '[]'
    ),
    case when count(*) > page_size then (
      select jsonb_build_object('scheduledAt', last.scheduled_at, 'position', last.position)
      from page last where last.row_number = page_size
    ) end
  into items, next
  from page
  join public.messages m on m.id = page.message_id
  join public.contacts c on c.id = m.contact_id;
  return jsonb_build_object('items', items, 'total', total, 'next', next);
end;
$$;
revoke all on function public.list_message_queue(jsonb) from public, anon, authenticated;
grant execute on function public.list_message_queue(jsonb) to service_role;
