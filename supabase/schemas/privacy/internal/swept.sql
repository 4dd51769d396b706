-- What a sweep of an erasure returns: {erased: {<kind>: how many}, after}; `after` says where the next one goes
-- on, NULL at the end.
create or replace function messaging.swept(kind text, erased bigint, after jsonb)
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object('erased', jsonb_build_object(kind, swept.erased), 'after', swept.after);
$$;
