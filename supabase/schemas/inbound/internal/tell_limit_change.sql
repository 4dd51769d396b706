-- Records instance.limit_changed with what the number may do now. `reason` is the channel's word, NULL where the
-- service has read it by itself; `change`: limit, previousLimit, effectiveAt, each NULL for none.
create or replace function messaging.tell_limit_change(
  instance messaging.instances, reason text, change jsonb
) returns void language plpgsql set search_path = '' as $$
declare
  allowance constant jsonb := (
    select d.allowance from messaging.dispatch d where d.instance_id = instance.id
  );
begin
  perform messaging.record_event(
    instance.id, null, 'instance.limit_changed', jsonb_build_object(
      'reason', reason,
      'limit', change->'limit',
      'previousLimit', change->'previousLimit',
      'effectiveAt', change->'effectiveAt',
      'allowance', messaging.shown_allowance(
        allowance, instance.provider_class, clock_timestamp(), 'UTC'
      )
    )
  );
end;
$$;
