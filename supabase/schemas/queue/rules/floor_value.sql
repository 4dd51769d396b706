-- An instant as the sequence of a floor holds it: seconds since 1970.
create or replace function messaging.floor_value(due_at timestamptz)
returns bigint language sql stable
return greatest(floor(extract(epoch from due_at)), 1)::bigint;
