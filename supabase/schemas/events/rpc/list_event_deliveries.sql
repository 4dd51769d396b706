-- events-api: the deliveries to an endpoint, the newest event first, a page at a time.
-- `request`: instanceId, endpointId, status (NULL for any), limit, `after` {sequence} as returned in
-- `next`. Returns {items, next}. Error: MI024.
create or replace function public.list_event_deliveries(request jsonb)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  page_size constant integer := (request->>'limit')::integer;
  below constant bigint := coalesce(
    (request->'after'->>'sequence')::bigint, 9223372036854775807
  );
  found_rows messaging.event_deliveries[];
begin
  perform public.get_event_endpoint(request);
  found_rows := array(
    select d
    from messaging.event_deliveries d
    where d.endpoint_id = (request->>'endpointId')::uuid and d.sequence < below
      and (request->>'status' is null or d.status = request->>'status')
    order by d.sequence desc
    limit page_size + 1
  );
  return jsonb_build_object(
    'items', coalesce((
      select jsonb_agg(messaging.describe_event_delivery(d) order by d.sequence desc)
      from unnest(found_rows[:page_size]) as d
    ), '[]'),
    'next', case when cardinality(found_rows) > page_size
      then jsonb_build_object('sequence', found_rows[page_size].sequence)
    end
  );
end;
$$;
