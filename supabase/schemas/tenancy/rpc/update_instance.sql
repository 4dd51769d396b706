-- admin-api: changes an instance; what waits in its queue keeps its slot unless the window is closed
-- then (see plan_slot_moves); a wider window moves none. It is looked at again at once, so that new
-- credentials hold without delay.
-- `request`: instanceId, changes, of which only what it holds is written: name, connectedPhone,
--   businessInstanceId (null clears it), timeZone, sendWindow {start, end, days, holidays, each
--   optional}, onUnconfirmed, requestsPerMinute (null lifts it), sealedProviderConfig with gatewayInstanceId.
-- Returns the instance, {issues} when the window or the time zone would not be valid, or {taken}: the
--   field whose value another instance has, businessInstanceId or gatewayInstanceId.
-- Locks pacing, instance, queue rows and messages that nobody holds, dispatch. Error: MI014.
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

  begin
    update messaging.instances i
    set name = coalesce(changes->>'name', i.name),
      sealed_provider_config = coalesce(changes->>'sealedProviderConfig', i.sealed_provider_config),
      gateway_instance_id = case
        when changes ? 'sealedProviderConfig' then changes->>'gatewayInstanceId'
        else i.gateway_instance_id
      end,
      business_instance_id = case
        when changes ? 'businessInstanceId' then changes->>'businessInstanceId'
        else i.business_instance_id
      end,
      connected_phone = coalesce(changes->>'connectedPhone', i.connected_phone),
      connected_phone_key = messaging.phone_identity_key(
        coalesce(changes->>'connectedPhone', i.connected_phone)
      ),
      time_zone = coalesce(changes->>'timeZone', i.time_zone),
      window_start = instance.window_start,
      window_end = instance.window_end,
      window_days = case
        when send_window ? 'days'
        then array(select jsonb_array_elements_text(send_window->'days')::smallint)
        else i.window_days
      end,
      on_unconfirmed = coalesce(changes->>'onUnconfirmed', i.on_unconfirmed),
      requests_per_minute = case
        when changes ? 'requestsPerMinute' then (changes->>'requestsPerMinute')::integer
        else i.requests_per_minute
      end,
      updated_at = now()
    where i.id = instance.id
    returning i.* into instance;
  exception when unique_violation then
    get stacked diagnostics violated = constraint_name;
    taken := messaging.taken_instance_field(violated, changes ? 'businessInstanceId');
    if taken is null then
      raise;
    end if;
    return jsonb_build_object('taken', taken);
  end;
  if send_window ? 'holidays' then
    delete from messaging.holidays h where h.instance_id = instance.id;
    insert into messaging.holidays (instance_id, day)
    select distinct instance.id, holiday::date
    from jsonb_array_elements_text(send_window->'holidays') as holiday;
  end if;

  if changes ?| array['sendWindow', 'timeZone'] then
    perform messaging.plan_slot_moves(instance);
  end if;
  if changes ? 'sealedProviderConfig' then
    update messaging.dispatch d set hold_until = '-infinity', refused_at = '-infinity' where d.instance_id = instance.id;
  end if;
  perform messaging.refresh_dispatch(array[instance.id]);
  return messaging.describe_instance(instance);
end;
$$;
revoke all on function public.update_instance(jsonb) from public, anon, authenticated;
grant execute on function public.update_instance(jsonb) to service_role;
