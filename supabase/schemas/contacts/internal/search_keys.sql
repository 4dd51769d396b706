-- The keys by which the folded words of a contact are found: a hash of each three characters in a row;
-- and, for searches of one or two characters, of the one and two with which each word begins. A sign
-- such as "%" counts as a beginning too. A key says which contacts may fit; their words decide.
-- The instance is in the hash: a look-up reads nothing of other instances.
create or replace function messaging.search_keys(instance_id uuid, words text)
returns bigint[]
language sql
immutable
strict
parallel safe
set search_path = ''
as $$
  select coalesce(
    array_agg(distinct hashtextextended(piece.value, uuid_hash_extended(instance_id, 0))), '{}'
  )
  from generate_series(1, char_length(words)) as place
  cross join lateral (
    select substr(words, place, 3) as three,
      place = 1
        or substr(words, place - 1, 1) collate "C" not between '0' and '9'
          and substr(words, place - 1, 1) collate "C" not between 'a' and 'z'
        or substr(words, place, 1) collate "C" not between '0' and '9'
          and substr(words, place, 1) collate "C" not between 'a' and 'z' as is_beginning
  ) as at
  cross join lateral (
    select at.three as value where char_length(at.three) = 3
    union all
    select '^' || left(at.three, 1) where at.is_beginning
    union all
    select '^' || left(at.three, 2) where at.is_beginning and char_length(at.three) > 1
  ) as piece;
$$;
revoke all on function messaging.search_keys(uuid, text) from public, anon, authenticated;
grant execute on function messaging.search_keys(uuid, text) to service_role;
