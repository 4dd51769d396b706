-- How far behind the clock a floor stays: twice as far as what lowers it, so that a transaction may last as long.
-- Beside an old snapshot each look reads what has left since then.
create or replace function messaging.floor_lag()
returns interval language sql immutable
return interval '6 seconds';
