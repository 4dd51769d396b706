-- Whether one instance's messages go out: see instance_states. refresh_metrics passes arrays of it.
create type messaging.instance_state as (
  instance_id uuid,
  provider text,
  status text,
  hold_until timestamptz,
  oldest_due timestamptz,
  waiting bigint,
  in_flight bigint,
  unconfirmed bigint
);
