-- How many of the messages of a sum have no cost in `own_currency`: those without a rate, and those that
-- were estimated in another currency, as currencies are never added up. `currency`: of the sum's amount,
-- empty for none.
create or replace function messaging.unknown_cost(
  unknown bigint, delivered bigint, currency text, own_currency text
) returns bigint language sql immutable
return case
  when currency in ('', own_currency) then unknown
  else unknown + delivered
end;
