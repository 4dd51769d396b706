-- How many messages a second the channel lets an official number send, by what it told (see `allowance` of
-- dispatch): 20 where the number is also used in the WhatsApp Business app, 1,000 at the level HIGH, else 80.
create or replace function messaging.allowed_pace(allowance jsonb)
returns integer language sql immutable parallel safe
return case
  when allowance ->> 'isOnBusinessApp' = 'true' then 20
  when allowance ->> 'throughput' = 'HIGH' then 1000
  else 80
end;
