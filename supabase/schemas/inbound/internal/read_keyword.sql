-- What a contact's message decides about marketing: `denied` or `granted` where the whole message is one
-- of the instance's keywords, NULL for any other. A word within a sentence never counts.
create or replace function messaging.read_keyword(
  keywords text[], resume_keywords text[], message text
) returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  folded text;
begin
  -- Most messages end here. A keyword has at most 40 characters; the rest is for what does not count: marks
  -- that nobody sees, blanks and punctuation.
  if message is null or char_length(message) > 200 then
    return null;
  end if;
  folded := messaging.fold_keyword(message);
  if folded = '' then
    return null;
  elsif folded = any (array(select messaging.fold_keyword(k) from unnest(keywords) as k)) then
    return 'denied';
  elsif folded = any (array(select messaging.fold_keyword(k) from unnest(resume_keywords) as k)) then
    return 'granted';
  end if;
  return null;
end;
$$;

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
