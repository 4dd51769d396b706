-- How many percent a difference is of what it differs from, to a hundredth: 100 where that is nothing.
create or replace function messaging.difference_percent(difference numeric, whole numeric)
returns numeric
language sql
immutable
return case
  when coalesce(difference, 0) = 0 then 0
  when whole = 0 then 100
  else round(100 * difference / whole, 2)
end;
