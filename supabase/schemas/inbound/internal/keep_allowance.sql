-- Keeps what the channel says a number may do: the members of `told` replace those that are kept, a null one
-- removes its own (see `allowance` of dispatch). A pace that is more than the number now has falls to that, and
-- rises again with it. While a lock on new chats is active, what a claim finds for new contacts waits until
-- it ends: for a day where no end was told. What a lock holds that is over, or ends sooner now, leaves; a claim
-- holds it again until the new end. Returns whether the number may do something else now; how much of a quota is
-- used does not count. The caller has locked pacing where `told` has a lock, then dispatch, and refreshes dispatch.
create or replace function messaging.keep_allowance(instance messaging.instances, told jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  former jsonb;
  present jsonb;
  former_until timestamptz;
  locked_until timestamptz;
begin
  select d.allowance, d.new_chats_locked_until into strict former, former_until
  from messaging.dispatch d where d.instance_id = instance.id;
  present := nullif(jsonb_strip_nulls(coalesce(former, '{}') || coalesce(told, '{}')), '{}');
  if present is not distinct from former then
    return false;
  end if;
  locked_until := case
    -- Told without an end, it ends a day after it was told first.
    when present->'timeLock' is not distinct from former->'timeLock' then former_until
    when present->'timeLock'->>'isActive' = 'true'
      then coalesce((present->'timeLock'->>'until')::timestamptz, clock + interval '1 day')
    else '-infinity'
  end;
  update messaging.dispatch d
  set allowance = present,
    new_chats_locked_until = locked_until,
    -- Not the pace that the caller has read: it may be another one since.
    messages_per_second = messaging.present_pace(
      (select i.messages_per_second from messaging.instances i where i.id = d.instance_id), present
    )
  where d.instance_id = instance.id;
  if former_until > clock and locked_until < former_until then
    perform messaging.release_held_messages(instance.id, 'new_contacts', clock);
  end if;
  return messaging.allowed_pace(present) <> messaging.allowed_pace(former)
    or (present->'newChats') - 'used' is distinct from (former->'newChats') - 'used'
    or present->'timeLock' is distinct from former->'timeLock';
end;
$$;
