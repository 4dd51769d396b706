-- Where a look for deliveries that are due begins.
create or replace function messaging.delivery_floor(clock timestamptz)
returns timestamptz language sql volatile
return messaging.floor_of('messaging.delivery_floor'::regclass, clock);
