-- Where a look for messages that are due, or whose lease is over, begins.
create or replace function messaging.due_floor(clock timestamptz)
returns timestamptz language sql volatile
return messaging.floor_of('messaging.due_floor'::regclass, clock);
