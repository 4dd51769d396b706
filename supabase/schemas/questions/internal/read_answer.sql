-- What a received message answers to a question that accepts `accept` and offers `choices`: {text, value, choice,
-- mediaId, location, contact}, each where there is one; NULL where it does not fit. `today`: the day, in the
-- instance's zone, on which it was written. `shows_numbers`: whether the options went as numbered text.
-- A tapped or typed choice counts among this question's options alone. Where words are asked for beside options, those
-- of a tapped one are words: whether options show as buttons or as numbered text depends on the channel.
create or replace function messaging.read_answer(
  accept text, choices jsonb, message_type text, said text, content jsonb, media_id uuid,
  today date, shows_numbers boolean default true
) returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  value text;
  choice jsonb := messaging.asked_choice(choices, message_type, said, content, shows_numbers);
  is_words constant boolean := message_type = 'text' or choice is not null;
begin
  if not messaging.is_reply(message_type) then
    return null;
  elsif accept in ('number', 'date', 'email', 'document') then
    value := case when is_words then messaging.read_answer_value(accept, said, today) end;
  end if;
  if not (case accept
    when 'any' then true
    when 'choice' then choice is not null
    when 'text' then is_words and messaging.without_invisible(said) ~ '\S'
    when 'media' then message_type in ('image', 'video', 'audio', 'voice', 'document')
    when 'location' then message_type = 'location'
    when 'contact' then message_type = 'contacts'
    else value is not null
  end) then
    return null;
  end if;
  return jsonb_strip_nulls(jsonb_build_object(
    'text', said,
    'value', value,
    'choice', case when accept in ('choice', 'any') then choice end,
    'mediaId', media_id,
    'location', content->'location',
    'contact', content->'contacts'->0
  ));
end;
$$;

-- The option of `choices` ({number, id, title} each) that a message chooses, {id, title}; NULL for none: one that
-- was tapped, by its id, else its title; or one that was typed, as typed_choice says, with marks around it. Where
-- the options went without numbers, titles come first, and numbers count only where no title is one itself.
create or replace function messaging.asked_choice(
  choices jsonb, message_type text, said text, content jsonb, shows_numbers boolean
) returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  tapped constant jsonb := content->'choice';
  further constant text[] := array['number', 'description'];
  typed text;
  chosen jsonb;
begin
  if choices is null then
    return null;
  elsif message_type = 'text' then
    foreach typed in array array[said, messaging.without_marks(said)] loop
      chosen := case
        when shows_numbers then messaging.typed_choice(choices, typed)
        else messaging.typed_unnumbered_choice(choices, typed)
      end;
      exit when chosen is not null;
    end loop;
    return chosen - further;
  elsif message_type not in ('choice', 'option_list') then
    return null;
  end if;
  return (
    select o - further
    from jsonb_array_elements(choices) as o
    where o->>'id' = tapped->>'id'
      or messaging.fold_choice(o->>'title')
        = messaging.fold_choice(coalesce(tapped->>'title', said))
    order by (o->>'id' = tapped->>'id') is true desc
    limit 1
  );
end;
$$;

-- As typed_choice, of options that the person saw without numbers: see asked_choice.
create or replace function messaging.typed_unnumbered_choice(choices jsonb, typed text)
returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
declare
  titled jsonb[];
begin
  -- A title has at most 1,024 characters.
  if char_length(typed) > 1100 then
    return null;
  end if;
  titled := array(
    select o from jsonb_array_elements(choices) as o
    where messaging.fold_choice(o->>'title') = messaging.fold_choice(typed)
  );
  if cardinality(titled) = 1 then
    return titled[1];
  elsif exists (
    select from jsonb_array_elements(choices) as o
    where messaging.fold_choice(o->>'title') ~ '^[0-9]+$'
  ) then
    return null;
  end if;
  return messaging.typed_choice(choices, typed);
end;
$$;

-- The value of a typed text, as text: a number (`1.234,50` is 1234.50), a date (2026-12-25), an e-mail address, a
-- CPF or CNPJ without its signs; NULL for what is none. See read_answer.
create or replace function messaging.read_answer_value(accept text, said text, today date)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  typed text;
begin
  -- An e-mail address has at most 254 characters.
  if said is null or char_length(said) > 300 then
    return null;
  end if;
  -- Digits as emoji and of other widths are digits, and a dash of any length is a hyphen, as keyboards put them in.
  typed := regexp_replace(
    normalize(messaging.without_invisible(replace(said, '🔟', '10')), NFKC), '[\u20e3\ufe0f]', '', 'g'
  );
  typed := messaging.without_marks(translate(typed, '‐‒–—−', '-----'));
  return case accept
    when 'number' then messaging.read_number(typed)
    when 'date' then messaging.read_date(lower(typed), today)::text
    when 'email' then messaging.read_email(lower(typed))
    when 'document' then messaging.read_document(upper(typed))
  end;
end;
$$;

-- A typed text without what stands around it and says nothing: quotes and brackets, full stops and the like behind
-- it, and WhatsApp's marks of bold, italic and struck text where they stand on both sides, as an e-mail address may
-- begin with one of them.
create or replace function messaging.without_marks(typed text)
returns text language sql immutable strict parallel safe
return regexp_replace(
  regexp_replace(
    regexp_replace(typed, '^[\s"''“”(<]+|[\s.,;:!…"''“”)>]+$', '', 'g'),
    '^([*_~]+)(.*?)\1$',
    '\2'
  ),
  '^[\s"''“”(<]+|[\s.,;:!…"''“”)>]+$',
  '',
  'g'
);

-- A number as Brazilians write it: a full stop between thousands, a comma before decimals, `R$` before it or
-- `reais` behind. One full stop that parts no thousands is taken for the comma.
create or replace function messaging.read_number(typed text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  amount constant text := regexp_replace(typed, '^([+-]?)\s*R\$\s*|\s+(reais|real)$', '\1', 'gi');
  parts text[];
begin
  if char_length(amount) > 40 then
    return null;
  end if;
  parts := coalesce(
    regexp_match(amount, '^([+-]?)\s*([0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,([0-9]+))?$'),
    regexp_match(amount, '^([+-]?)\s*([0-9]+)\.([0-9]+)$')
  );
  if parts is null then
    return null;
  end if;
  return case when parts[1] = '-' then '-' else '' end
    || coalesce(nullif(ltrim(replace(parts[2], '.', ''), '0'), ''), '0')
    || coalesce('.' || parts[3], '');
end;
$$;

-- A date as Brazilians write it: day, month, year, in digits or with the month's name; without a year the next
-- such day, today included. Of two digits the year is at most 20 years ahead. Words such as `amanhã` are none.
create or replace function messaging.read_date(typed text, today date)
returns date language plpgsql immutable parallel safe set search_path = '' as $$
declare
  -- `1º` is 1o by now; with the degree sign, which keyboards have beside it, it is the same.
  plain constant text := regexp_replace(
    regexp_replace(normalize(typed, NFKD), '[\u0300-\u036f]', '', 'g'),
    '^(?:dia\s+)?([0-9]{1,2})[o°](?=[\s/.-])|^dia\s+', '\1'
  );
  months constant text[] := array[
    'janeiro', 'fevereiro', 'marco', 'abril', 'maio', 'junho', 'julho', 'agosto', 'setembro', 'outubro',
    'novembro', 'dezembro'
  ];
  this_year constant integer := extract(year from today);
  parts text[];
  month integer;
  year integer;
begin
  parts := regexp_match(plain, '^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$');
  if parts is not null then
    return messaging.day_of(parts[1]::integer, parts[2]::integer, parts[3]::integer);
  end if;
  parts := coalesce(
    regexp_match(
      plain, '^([0-9]{1,2})\s*[/.-]\s*([0-9]{1,2})(?:\s*[/.-]\s*([0-9]{4}|[0-9]{2}))?$'
    ),
    regexp_match(plain, '^([0-9]{1,2})\s+([0-9]{1,2})\s+([0-9]{4}|[0-9]{2})$'),
    regexp_match(plain, '^([0-9]{2})([0-9]{2})([0-9]{4})$'),
    regexp_match(
      plain, '^([0-9]{1,2})[\s/-]*(?:de\s+)?([a-z]{3,9})\.?(?:[\s,/-]*(?:de\s+)?([0-9]{4}|[0-9]{2}))?$'
    )
  );
  if parts is null then
    return null;
  elsif parts[2] ~ '[a-z]' then
    month := (
      select m.number from unnest(months) with ordinality as m(name, number)
      where parts[2] in (m.name, left(m.name, 3))
    );
  else
    month := parts[2];
  end if;
  if parts[3] is not null then
    year := parts[3];
    if length(parts[3]) = 2 then
      year := year + case when 2000 + year <= this_year + 20 then 2000 else 1900 end;
    end if;
    return messaging.day_of(year, month, parts[1]::integer);
  end if;
  -- The 29th of February may be eight years ahead.
  return (
    select min(d.day) from generate_series(this_year, this_year + 8) as y(number)
    cross join lateral messaging.day_of(y.number, month, parts[1]::integer) as d(day)
    where d.day >= today
  );
end;
$$;

-- The day; NULL where the calendar has none such.
create or replace function messaging.day_of(year integer, month integer, day integer)
returns date language sql immutable parallel safe
return case
  when year between 1000 and 9999
  and month between 1 and 12
  and day between 1 and extract(
    day from make_date(year, month, 1) + interval '1 month' - interval '1 day'
  ) then make_date(year, month, day)
end;

-- An e-mail address that stands by itself, or behind `e-mail:` and its like, in lower case.
create or replace function messaging.read_email(typed text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  address constant text := (regexp_match(
    typed,
    '^(?:(?:o )?(?:meu )?e-?mail(?: [eé])?\s*:?\s*)?<?([a-z0-9_%+-]+(?:\.[a-z0-9_%+-]+)*'
      || '@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})$'
  ))[1];
begin
  return case when char_length(address) <= 254 then address end;
end;
$$;

-- A CPF or CNPJ with or without its signs, by its check digits; a CNPJ may have letters (since July 2026). Of equal
-- digits alone it is none, though they check.
create or replace function messaging.read_document(typed text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
declare
  bare constant text := regexp_replace(
    regexp_replace(typed, '^((O )?(MEU )?(CPF|CNPJ)( [EÉ])?\s*:?\s*)', ''), '[\s./-]', '', 'g'
  );
  is_cpf constant boolean := bare ~ '^[0-9]{11}$';
  checked integer;
  remainder integer;
begin
  if not is_cpf and bare !~ '^[0-9A-Z]{12}[0-9]{2}$' or bare ~ '^(.)\1*$' then
    return null;
  end if;
  for length_before in char_length(bare) - 2..char_length(bare) - 1 loop
    -- Weights rise from the right: to 11 in a CPF, to 9 and then from 2 again in a CNPJ.
    checked := (
      select sum((ascii(substr(bare, place, 1)) - 48) * case
        when is_cpf then length_before + 2 - place
        else 2 + (length_before - place) % 8
      end)
      from generate_series(1, length_before) as place
    );
    remainder := checked % 11;
    checked := case when remainder < 2 then 0 else 11 - remainder end;
    if substr(bare, length_before + 1, 1)::integer <> checked then
      return null;
    end if;
  end loop;
  return bare;
end;
$$;
