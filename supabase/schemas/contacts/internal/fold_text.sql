-- A text without regard to case, accents and marks that nobody sees, as searches compare it: "João Ávila" is
-- "joao avila". An own function: unaccent is not immutable, and lies in another schema on each platform.
create or replace function messaging.fold_text(given text)
returns text language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  if given ~ '^[\x01-\x7f]*$' then
    return lower(given);
  end if;
  return lower(translate(
    regexp_replace(
      normalize(messaging.without_invisible(given), NFKD), '[\u0300-\u036f]', '', 'g'
    ), 'øØłŁđĐıß', 'oOlLdDis'
  ));
end;
$$;
