-- The pace at which an instance sends: its own, at most what its number is allowed. NULL for no pace.
create or replace function messaging.present_pace(messages_per_second integer, allowance jsonb)
returns integer language sql immutable parallel safe
return case
  when messages_per_second > messaging.allowed_pace(allowance) then messaging.allowed_pace(
    allowance
  )
  else messages_per_second
end;
