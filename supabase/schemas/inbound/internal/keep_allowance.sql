-- Keeps what the channel says a number may do: the members of `told` replace those that are kept, a null one
-- removes its own (see `allowance` of dispatch). A pace that is more than the number now has falls to that, and
-- rises again with it. While a lock on new chats is active, what a claim finds for new contacts waits until
-- it ends: for a day where no end was told. What a lock that is over holds leaves. Returns whether the number
-- may do something else now; how much of a quota is used does not count. The caller has locked pacing and
-- dispatch, and refreshes dispatch.
create or replace function messaging.keep_allowance(instance messaging.instances, told jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  former jsonb;
  present jsonb;
  was_locked boolean;
  locked_until timestamptz;
begin
  select d.allowance, d.new_chats_locked_until > clock into strict former, was_locked
  from messaging.dispatch d where d.instance_id = instance.id;
  present := nullif(jsonb_strip_nulls(coalesce(former, '{}') || coalesce(told, '{}')), '{}');
  if present is not distinct from former then
    return false;
  end if;
  locked_until := case
    when present->'timeLock'->>'isActive' = 'true'
      then coalesce((present->'timeLock'->>'until')::timestamptz, clock + interval '1 day')
    else '-infinity'
  end;
  update messaging.dispatch d
  set allowance = present,
    new_chats_locked_until = locked_until,
    messages_per_second = messaging.present_pace(instance.messages_per_second, present)
  where d.instance_id = instance.id;
  if was_locked and locked_until <= clock then
    perform messaging.release_held_messages(instance.id, 'new_contacts', clock);
  end if;
  return messaging.allowed_pace(present) <> messaging.allowed_pace(former)
    or (present->'newChats') - 'used' is distinct from (former->'newChats') - 'used'
    or present->'timeLock' is distinct from former->'timeLock';
end;
$$;
