-- How many messages a second the channel lets an official number send, by what it told (see `allowance` of
-- dispatch): 20 where the number is also used in the WhatsApp Business app, 1,000 at the level HIGH, else 80.
create or replace function messaging.allowed_pace(allowance jsonb)
returns integer language sql immutable parallel safe
return case
  when allowance ->> 'isOnBusinessApp' = 'true' then 20
  when allowance ->> 'throughput' = 'HIGH' then 1000
  else 80
end;

-- The pace at which an instance sends: its own, at most what its number is allowed. NULL for no pace.
create or replace function messaging.present_pace(messages_per_second integer, allowance jsonb)
returns integer language sql immutable parallel safe
return case
  when messages_per_second > messaging.allowed_pace(allowance) then messaging.allowed_pace(
    allowance
  )
  else messages_per_second
end;
