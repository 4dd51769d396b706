-- admin-api: whether the service's messages go out, over all instances, at most 15 seconds old.
-- `request` is empty. Returns, with instants in UTC: status, checkedAt, instances {total, held, late,
-- unconfirmed}, messages {queueDepth, inFlight, unconfirmed, oldestDueAt, oldestDueSeconds}, outbox
-- {pending, dead, oldestDueAt, oldestDueSeconds}, database {sizeBytes}, attention [{instanceId, name,
-- status, heldBy, holdReason, holdCode, heldUntil, oldestDueSeconds, queueDepth, unconfirmed}].
-- `status`: `late` when an instance is, else `held` when one is, else `ok`: see get_instance_health.
create or replace function public.get_service_health(request jsonb)
returns jsonb language sql set search_path = '' as $$
  select s.health from messaging.refresh_metrics() as s;
$$;
