-- Keeps what the channel says a number may do: the members of `told` replace those that are kept, a null one
-- removes its own (see `allowance` of dispatch). A pace that is more than the number now has falls to that, and
-- rises again with it. Returns whether the number may do something else now; how much of a quota is used does
-- not count. The caller has locked dispatch.
create or replace function messaging.keep_allowance(instance messaging.instances, told jsonb)
returns boolean language plpgsql set search_path = '' as $$
declare
  former jsonb;
  present jsonb;
begin
  select d.allowance into strict former from messaging.dispatch d where d.instance_id = instance.id;
  present := nullif(jsonb_strip_nulls(coalesce(former, '{}') || coalesce(told, '{}')), '{}');
  if present is not distinct from former then
    return false;
  end if;
  update messaging.dispatch d
  set allowance = present,
    messages_per_second = messaging.present_pace(instance.messages_per_second, present)
  where d.instance_id = instance.id;
  return messaging.allowed_pace(present) <> messaging.allowed_pace(former)
    or (present->'newChats') - 'used' is distinct from (former->'newChats') - 'used'
    or present->'timeLock' is distinct from former->'timeLock';
end;
$$;
