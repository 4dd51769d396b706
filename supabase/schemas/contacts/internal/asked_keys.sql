-- The keys (see search_keys) that a contact has which a search for `folded` may find.
create or replace function messaging.asked_keys(instance_id uuid, folded text)
returns bigint[]
language sql
immutable
strict
parallel safe
set search_path = ''
as $$
  select array_agg(distinct hashtextextended(piece, uuid_hash_extended(instance_id, 0)))
  from (
    select '^' || folded as piece where char_length(folded) < 3
    union all
    select substr(folded, place, 3)
    from generate_series(1, char_length(folded) - 2) as place
  ) as asked;
$$;
