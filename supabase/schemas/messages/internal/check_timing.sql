-- accept_message: refuses a `timing` that is not ahead: sendAt up to 35 days, and past by a minute at most
-- (callers' clocks differ); expiresAt in the future. Checked when the call is recorded, not when it is
-- read: a repeated call gets its first answer however late it is repeated.
-- Errors: MI041, MI042, MI043.
create or replace function messaging.check_timing(timing jsonb)
returns void
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  send_at constant timestamptz := (timing->>'sendAt')::timestamptz;
begin
  if send_at < clock - interval '1 minute' then
    raise exception using errcode = 'MI041', message = 'sendAt is past';
  end if;
  -- 35 times 24 hours, whatever the local clocks do meanwhile.
  if send_at > clock + interval '840 hours' then
    raise exception using errcode = 'MI042', message = 'sendAt is too far ahead';
  end if;
  if (timing->>'expiresAt')::timestamptz <= clock then
    raise exception using errcode = 'MI043', message = 'expiresAt is past';
  end if;
end;
$$;
revoke all on function messaging.check_timing(jsonb) from public, anon, authenticated;
grant execute on function messaging.check_timing(jsonb) to service_role;
