-- Must be called before the transaction draws its first event number for the instance: see the head of
-- tables/events.sql. Later calls in the transaction do nothing: the first
-- floor is the lowest. Which instances have one is kept in a setting that, like the lock, ends with the
-- transaction, or with the part of it that is rolled back; `*` is one for all instances. Beyond a
-- hundred instances one lock stands for all, under a key that every reader looks at: Postgres has room
-- for a few thousand locks in all. What it returns says nothing.
create or replace function messaging.hold_event_floor(instance_id uuid)
returns text language sql volatile
return case
  when current_setting('messaging.event_floors', true) = '*'
  or strpos(current_setting('messaging.event_floors', true), instance_id::text) > 0 then null
  when length(
    current_setting('messaging.event_floors', true)
  ) >= 3600 then messaging.lock_event_floor(null) || set_config('messaging.event_floors', '*', true)
  else messaging.lock_event_floor(instance_id) || set_config(
    'messaging.event_floors',
    concat(current_setting('messaging.event_floors', true), instance_id),
    true
  )
end;
