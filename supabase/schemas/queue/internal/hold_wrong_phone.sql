-- Holds an instance whose gateway has a session of another number than its connectedPhone: everything that the
-- dispatcher sends would leave under that number. Releases it when the session is the right number's, or that
-- number is the expected one now. Records instance.held and tells the workspace's alert address (see
-- tell_hold). The caller holds pacing and dispatch, and refreshes dispatch.
create or replace function messaging.hold_wrong_phone(
  instance messaging.instances, clock timestamptz
) returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  dispatch messaging.dispatch;
  is_wrong boolean;
begin
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  is_wrong := messaging.is_expected_phone(dispatch.paired_phone, instance.connected_phone_key) is false;
  if is_wrong = (dispatch.wrong_phone_until > clock) then
    return;
  end if;
  update messaging.dispatch d
  set wrong_phone_until = case when is_wrong then 'infinity' else '-infinity' end::timestamptz
  where d.instance_id = instance.id;
  if is_wrong then
    perform messaging.record_instance_holds(array[instance.id], 'wrong_phone');
    perform messaging.tell_hold(instance, 'wrong_phone', true, clock);
  else
    perform messaging.resume_unpaced_messages(instance.id, dispatch.wrong_phone_until, clock);
  end if;
end;
$$;
