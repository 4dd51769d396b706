-- Until when an instance is held (see held_until), where it is held at that instant; else no row.
create or replace function messaging.hold_at(instance_id uuid, at timestamptz)
returns table (held_until timestamptz) language sql stable
begin atomic
  select messaging.held_until(d)
  from messaging.dispatch as d
  where d.instance_id = hold_at.instance_id and messaging.held_until(d) > at;
end;
