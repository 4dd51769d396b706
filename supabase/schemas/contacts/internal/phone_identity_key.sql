-- The key by which a phone identifies one person (decisions, section 3); for identity alone, never
-- an address. Brazil: a mobile without its ninth digit gets it. Mexico: 521 = 52. Argentina: 549 = 54.
-- shared/model/phone.ts has the same rule as identityKeyOf; a test compares the two.
-- The prefix is compared first: most phones then need no regular expression, which costs ten times as
-- much.
create or replace function messaging.phone_identity_key(phone text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return case
    when phone like '55%' and length(phone) = 12 and phone ~ '^55[0-9]{2}[6-9][0-9]{7}$' then left(phone, 4) || '9' || substr(phone, 5)
    when phone like '521%' and phone ~ '^521[0-9]{10}$' then '52' || substr(phone, 4)
    when phone like '549%' and phone ~ '^549[0-9]{10}$' then '54' || substr(phone, 4)
    else phone
  end;
end;
$$;
