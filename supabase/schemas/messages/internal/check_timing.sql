-- accept_message and move_message: refuses instants that are not ahead: sendAt up to 35 days, and past by a
-- minute at most (callers' clocks differ); expiresAt in the future, and after the message is to leave: it
-- would expire in silence. Checked when the call is recorded, not when it is read: a repeated call gets its
-- first answer however late it is repeated. `delivery` as in accept_message.
-- Errors: MI041, MI042, MI043, MI057.
create or replace function messaging.check_timing(delivery jsonb)
returns void language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  send_at constant timestamptz := (delivery->'timing'->>'sendAt')::timestamptz;
  expires_at constant timestamptz := (delivery->'timing'->>'expiresAt')::timestamptz;
begin
  if send_at < clock - interval '1 minute' then
    raise exception using errcode = 'MI041', message = 'sendAt is past';
  end if;
  -- 35 times 24 hours, whatever the local clocks do meanwhile.
  if send_at > clock + interval '840 hours' then
    raise exception using errcode = 'MI042', message = 'sendAt is too far ahead';
  end if;
  if expires_at <= clock then
    raise exception using errcode = 'MI043', message = 'expiresAt is past';
  end if;
  if expires_at <= messaging.earliest_departure(delivery, clock) then
    raise exception using errcode = 'MI057', message = 'expiresAt is before the message leaves';
  end if;
end;
$$;
