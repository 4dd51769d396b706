-- A text as keywords are compared: without regard to case and accents, without marks that nobody sees, and
-- without the blanks and the punctuation around it. A question mark stays: a question is no decision.
create or replace function messaging.fold_keyword(given text)
returns text language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  -- No ASCII text has marks or accents, and most keywords are such.
  if octet_length(given) > char_length(given) then
    given := regexp_replace(
      normalize(messaging.without_invisible(given), NFKD), '[\u0300-\u036f]', '', 'g'
    );
  end if;
  return regexp_replace(
    lower(given),
    '^[\s.,;:!¡*_~"''“”‘’«»()\[\]…–—-]+|[\s.,;:!¡*_~"''“”‘’«»()\[\]…–—-]+$', '', 'g'
  );
end;
$$;
