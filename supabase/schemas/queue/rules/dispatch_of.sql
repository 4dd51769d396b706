-- The dispatch row of an instance. Reads the newest version first, so that beside an old snapshot it reads none
-- of the former ones; `where instance_id = ...` finds the same row, and reads them all.
-- A statement that changes the row finds it by `d.instance_id = any (array[own.instance_id]) and d.generation >=
-- own.generation`, from dispatch_of(...) as own: the version that it waits for, if any, is a newer one.
create or replace function messaging.dispatch_of(instance_id uuid)
returns setof messaging.dispatch language sql stable rows 1
begin atomic
  select d.*
  from messaging.dispatch as d
  where d.instance_id = dispatch_of.instance_id
  order by d.generation desc
  limit 1;
end;
