-- admin-api: changes an instance. A waiting message keeps its slot unless the send window is closed
-- then, or a limit leaves no place for it (see plan_slot_moves); what is wider moves no slot. The queue is checked again at once, so
-- that new credentials take effect without delay.
-- `request`: instanceId, changes (see write_instance_settings).
-- Returns the instance, {issues} when the window, the time zone or the protection would be invalid, or {taken}: the
-- field
--   whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Locks pacing, instance, free queue rows and messages, dispatch. Error: MI014.
create or replace function public.update_instance(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changes constant jsonb := request->'changes';
  send_window constant jsonb := changes->'sendWindow';
  instance messaging.instances;
  violated text;
  taken text;
  refused jsonb;
begin
  if changes ? 'timeZone' and not messaging.is_time_zone(changes->>'timeZone') then
    return messaging.time_zone_issues();
  end if;
  perform from messaging.pacing p
  where p.instance_id = (request->>'instanceId')::uuid for no key update;
  instance := messaging.find_instance((request->>'instanceId')::uuid);
  instance.window_start := coalesce((send_window->>'start')::time, instance.window_start);
  instance.window_end := coalesce((send_window->>'end')::time, instance.window_end);
  if instance.window_end <= instance.window_start then
    return jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', case when send_window ? 'end' then 'sendWindow.end' else 'sendWindow.start' end,
      'message', 'end must be after start'
    )));
  end if;

  if changes ? 'protection' then
    refused := messaging.protection_issues(
      messaging.changed_protection(instance.protection, changes->'protection')
    );
    if refused is not null then
      return refused;
    end if;
  end if;

  begin
    instance := messaging.write_instance_settings(instance.id, changes);
  exception when unique_violation then
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, changes ? 'businessInstanceId');
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
  if changes ?| array['protection', 'timeZone'] then
    perform messaging.begin_protection(instance);
  end if;
  if changes ?| array['sendWindow', 'timeZone'] or changes ? 'protection' and instance.protection is not null then
    perform messaging.plan_slot_moves(instance);
  end if;
  if changes ? 'pace' then
    update messaging.dispatch d
    set messages_per_second = instance.messages_per_second, slowed_until = '-infinity'
    where d.instance_id = instance.id;
  end if;
  if changes ?| array['budget', 'timeZone'] then
    perform messaging.release_budget_holds(instance.id, date_trunc('milliseconds', clock_timestamp()));
    if instance.budget is not null then
      perform messaging.tell_budget(instance, clock_timestamp());
    end if;
  end if;
  if changes ? 'sealedProviderConfig' then
    -- Another session: what was reported of the former one says nothing about it.
    perform messaging.forget_connection(array[instance.id]);
    update messaging.dispatch d set hold_until = '-infinity', refused_at = '-infinity' where d.instance_id = instance.id;
  end if;
  perform messaging.refresh_dispatch(array[instance.id]);
  return messaging.describe_instance(instance);
end;
$$;
