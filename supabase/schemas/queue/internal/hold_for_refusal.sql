-- For how long an instance is held whose provider refuses all of it for good (credentials, payment):
-- ten seconds, so that one odd refusal costs little; five minutes when it happens again within ten
-- minutes, so that a backlog is not burnt. A hold in force is not lengthened.
create or replace function messaging.hold_for_refusal(instance_id uuid)
returns interval
language plpgsql
stable
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  dispatch messaging.dispatch;
begin
  select d.* into strict dispatch
  from messaging.dispatch d where d.instance_id = hold_for_refusal.instance_id;
  return case
    when dispatch.refused_at < clock - interval '10 minutes' then interval '10 seconds'
    when dispatch.hold_until > clock then interval '0'
    else interval '5 minutes'
  end;
end;
$$;
revoke all on function messaging.hold_for_refusal(uuid) from public, anon, authenticated;
grant execute on function messaging.hold_for_refusal(uuid) to service_role;
