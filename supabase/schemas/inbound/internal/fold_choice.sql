-- A text as typed choices are compared: without case, accents, marks that nobody sees, the frame of emoji
-- digits, blanks at its ends and WhatsApp's marks of bold, italic and struck text around the whole.
create or replace function messaging.fold_choice(given text)
returns text language plpgsql immutable strict parallel safe set search_path = '' as $$
begin
  return regexp_replace(
    btrim(
      regexp_replace(
        lower(
          regexp_replace(
            normalize(messaging.without_invisible(replace(given, '🔟', '10')), NFKD),
            '[\u0300-\u036f\u20e3]', '', 'g'
          )
        ),
        '\s+', ' ', 'g'
      )
    ),
    '^([*_~]+) ?(.*?) ?\1$', '\2'
  );
end;
$$;
