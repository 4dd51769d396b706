-- Several calls of record_provider_events in one transaction: those that messaging.record_plain_events
-- takes. `request`: calls, the requests. Returns {results}, one per call in the same order: the call's
-- result; NULL where nothing was done for it, and record_provider_events itself must be called.
-- Errors: 55P03 where a lock is not free in time: the calls are of many tenants, and each must be made by
-- itself.
-- Plans are made once: for each message anew they would take longer than the message.
create or replace function public.record_provider_event_calls(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set lock_timeout = '100ms' as $$
declare
  results jsonb;
begin
  results := (
    select jsonb_build_object('results', jsonb_agg(
      case when r.changes is not null then jsonb_build_object('recorded', r.changes) end
      order by r.place
    ))
    from unnest(messaging.record_plain_events(request->'calls')) with ordinality
      as r(changes, place)
  );
  perform messaging.trust_confirmed_instances();
  return results;
end;
$$;
