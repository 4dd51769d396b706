-- The interval of a queued message that has none of its own, where its instance has no pace (specification 4.4).
create or replace function messaging.default_interval_seconds()
returns integer language sql immutable
return 30;
