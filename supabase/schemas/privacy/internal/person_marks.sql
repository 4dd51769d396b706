-- The texts by which stored payloads name a person: phones in every spelling, LIDs without their domain,
-- user ids. A username is none: it can be another person's by now, and payloads show it beside a user id.
create or replace function messaging.person_marks(addresses text[])
returns text[] language sql immutable parallel safe set search_path = '' as $$
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

-- Every spelling under which a phone may have been stored or sent: as given, its identity key, and what
-- phone_identity_key makes the same.
create or replace function messaging.phone_spellings(phone text)
returns text[] language sql immutable parallel safe set search_path = '' as $$
  select array_agg(distinct spelled.phone)
  from (select messaging.phone_identity_key(phone_spellings.phone)) as known(key)
  cross join lateral (
    values
      (phone_spellings.phone),
      (known.key),
      (case when known.key ~ '^55[0-9]{2}9[6-9][0-9]{7}$' then left(known.key, 4) || substr(known.key, 6) end),
      (case when known.key ~ '^52[0-9]{10}$' then '521' || substr(known.key, 3) end),
      (case when known.key ~ '^54[0-9]{10}$' then '549' || substr(known.key, 3) end)
  ) as spelled(phone)
  where spelled.phone is not null;
$$;
