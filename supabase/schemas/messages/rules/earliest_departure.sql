-- Before when a message never leaves: now, and what its delivery (see accept_message) asks for.
create or replace function messaging.earliest_departure(delivery jsonb, clock timestamptz)
returns timestamptz language sql stable
return greatest(
  clock + make_interval(secs => coalesce((delivery ->> 'delaySeconds')::double precision, 0)),
  date_trunc('milliseconds', (delivery -> 'timing' ->> 'sendAt')::timestamptz)
);
