-- Nothing that waits is due before, and no lease ends before: a look for what is due begins there. In seconds
-- since 1970; without a value it begins at the start. See the function floor_of.
-- While any session holds an old snapshot, the entries of all that has left stay in dispatch_due and
-- message_queue_visible, before the first one that waits: each look read them all, 40,000 an hour at ten
-- messages a second.
-- A sequence, because its value belongs to no snapshot: a row would be one more that has old versions.
create sequence messaging.due_floor as bigint;
revoke all on sequence messaging.due_floor from public, anon, authenticated;
grant select, update on sequence messaging.due_floor to service_role;
