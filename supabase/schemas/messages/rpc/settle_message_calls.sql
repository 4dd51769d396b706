-- Settles several immediate sends at once, as settle_messages does one. `request`: calls, the requests
-- of settle_messages. Returns {results}, in the order of the calls; null for a call that it does not
-- take: any that is not about one accepted message, and the second of two about the same message.
-- Locks as settle_messages does, then idempotency keys in their order. Errors: 55P03 where a lock is not
-- free in time: the calls are of many tenants, and go through settle_messages one by one.
create or replace function public.settle_message_calls(request jsonb)
returns jsonb language plpgsql set search_path = '' set lock_timeout = '100ms'
set plan_cache_mode = force_generic_plan as $$
declare
  calls constant jsonb := request->'calls';
  places bigint[];
  results jsonb;
  settled jsonb;
begin
  -- In the order of the messages, in which their rows are locked.
  select array_agg(plain.place), jsonb_agg(plain.result order by plain.message_id)
  into places, results
  from (
    select distinct on (c.call #>> '{results,0,messageId}')
      c.place, c.call #> '{results,0}' as result, c.call #>> '{results,0,messageId}' as message_id
    from jsonb_array_elements(calls) with ordinality as c(call, place)
    where jsonb_array_length(c.call->'results') = 1
      and c.call #>> '{results,0,outcome}' = 'accepted'
    order by c.call #>> '{results,0,messageId}', c.place
  ) as plain;
  if places is not null then
    settled := public.settle_messages(jsonb_build_object('results', results))->'settled';
  end if;
  perform messaging.keep_response(kept.idempotency, kept.response, array[kept.message_id])
  from (
    select c.call->'idempotency' as idempotency, c.call->'response' as response,
      (c.call #>> '{results,0,messageId}')::uuid as message_id
    from jsonb_array_elements(calls) with ordinality as c(call, place)
    where c.place = any (places)
      and settled ? (c.call #>> '{results,0,messageId}')
      and nullif(c.call->'response', 'null') is not null
    order by c.call #>> '{idempotency,scope}', c.call #>> '{idempotency,key}'
  ) as kept;
  return jsonb_build_object('results', (
    select jsonb_agg(
      case when c.place = any (places) then jsonb_build_object(
        'settled',
        case
          when settled ? (c.call #>> '{results,0,messageId}')
            then jsonb_build_array(c.call #>> '{results,0,messageId}')
          else jsonb_build_array()
        end
      ) end
      order by c.place
    )
    from jsonb_array_elements(calls) with ordinality as c(call, place)
  ));
end;
$$;
