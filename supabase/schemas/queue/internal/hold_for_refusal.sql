-- For how long to hold an instance that its provider refuses as a whole (credentials, payment): ten
-- seconds, so that a single refusal costs little; five minutes when it happens again within ten
-- minutes, so that a backlog is not used up. A hold in force is not prolonged.
create or replace function messaging.hold_for_refusal(instance_id uuid)
returns interval language plpgsql stable set search_path = '' as $$
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
