-- Whether one instance's messages go out, and which hold keeps it where one does: see instance_states and
-- instance_hold. refresh_metrics passes arrays of it. Its new attributes stand in the order of their names:
-- see settlement.
create type messaging.instance_state as (
  instance_id uuid,
  provider text,
  status text,
  hold_until timestamptz,
  oldest_due timestamptz,
  waiting bigint,
  in_flight bigint,
  unconfirmed bigint,
  held_by text,
  hold_code text,
  hold_reason text
);
