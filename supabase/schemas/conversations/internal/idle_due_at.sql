-- When the next entry of an instance's `idle` is due for a silence since an instant: the first one later than
-- `after`; NULL where none is.
create or replace function messaging.idle_due_at(
  idle jsonb, awaiting text, since timestamptz, after timestamptz
) returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  return (
    select min(entry.due_at)
    from (
      select since + make_interval(mins => (e.value->>'afterMinutes')::integer) as due_at
      from jsonb_array_elements(idle) as e
      where e.value->>'awaiting' = idle_due_at.awaiting
    ) as entry
    where entry.due_at > after
  );
end;
$$;
