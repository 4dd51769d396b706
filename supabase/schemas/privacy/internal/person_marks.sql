-- The texts by which stored payloads name a person: phones in every spelling, LIDs without their domain,
-- user ids. A username is none: it can be another person's by now, and payloads show it beside a user id.
create or replace function messaging.person_marks(addresses text[])
returns text[]
language sql
immutable
parallel safe
set search_path = ''
as $$
  select coalesce(array_agg(distinct mark.text), '{}')
  from unnest(addresses) as known(address)
  cross join lateral (
    select unnest(messaging.phone_spellings(known.address)) as text
    where messaging.address_kind(known.address) = 'phone'
    union all
    select split_part(known.address, '@', 1)
    where messaging.address_kind(known.address) = 'lid'
    union all
    select known.address
    where messaging.address_kind(known.address) in ('user_id', 'parent_user_id')
  ) as mark;
$$;
