-- admin-api, connect: what a gateway has just answered about an instance's session. `request`: instanceId,
-- sealedProviderConfig (the credentials that were asked with), state (connected, or another word for not),
-- phone (the session's number in digits, NULL for not told). A session that is there counts as told (see
-- record_connection_event); one that is not, only where it was there before: nothing is lost of an instance
-- that was never connected. Of the official channel only `allowance` is noted, what it said that the number may
-- do (see keep_allowance; NULL for nothing), because its events are about what the account may do. What other
-- credentials than the present ones have found counts nothing. Returns {since, isExpectedPhone}, each NULL
-- where it is not known; `since` is of the state. Error: MI014. Locks pacing, then dispatch.
create or replace function public.note_connection(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  is_connected constant boolean := request->>'state' = 'connected';
  dispatch messaging.dispatch;
begin
  select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  if instance.provider_class = 'gateway'
    and instance.sealed_provider_config = request->>'sealedProviderConfig'
    and (
      is_connected and (
        dispatch.connection is distinct from 'connected'
        or dispatch.paired_phone is distinct from coalesce(request->>'phone', dispatch.paired_phone)
      )
      or request->>'state' = 'disconnected' and dispatch.connection = 'connected'
    ) then
    perform messaging.record_connection_event(instance, jsonb_build_object(
      'state', request->'state',
      'reason', case when not is_connected then 'not_connected' end,
      'pairedPhone', request->'phone',
      'isAnswer', true
    ));
    select d.* into strict dispatch from messaging.dispatch d where d.instance_id = instance.id;
  end if;
  if jsonb_typeof(request->'allowance') = 'object'
    and instance.sealed_provider_config = request->>'sealedProviderConfig' then
    perform from messaging.pacing p where p.instance_id = instance.id for no key update;
    perform from messaging.dispatch d where d.instance_id = instance.id for no key update;
    if messaging.keep_allowance(instance, request->'allowance') then
      perform messaging.tell_limit_change(
        instance, null, jsonb_build_object('previousLimit', dispatch.channel_limit)
      );
      perform messaging.refresh_dispatch(array[instance.id]);
    end if;
  end if;
  return jsonb_build_object(
    'since', messaging.iso_in_zone(
      case
        when is_connected then dispatch.connected_at
        when request->>'state' <> 'unknown' and dispatch.connection = 'disconnected'
          then dispatch.disconnected_at
      end,
      'UTC'
    ),
    'isExpectedPhone', messaging.is_expected_phone(request->>'phone', instance.connected_phone_key)
  );
end;
$$;
