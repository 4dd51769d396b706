-- No pending delivery is due before: a look for those that are due begins there, as one for messages at the
-- sequence due_floor, whose head says why.
create sequence messaging.delivery_floor as bigint;
revoke all on sequence messaging.delivery_floor from public, anon, authenticated;
grant select, update on sequence messaging.delivery_floor to service_role;
