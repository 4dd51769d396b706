-- The option of `choices` ({number, id, title, description} each) that a typed text names, without its number;
-- or NULL. It names one by its number (`2`, `2.`, `2)`, `*2*`, the number as emoji), by its title, or by both
-- (`2 - Ouro`), without regard to case, accents, and blanks around. Anything else names none, nor does what
-- fits two.
create or replace function messaging.typed_choice(choices jsonb, typed text)
returns jsonb language plpgsql immutable strict parallel safe set search_path = '' as $$
declare
  said text;
  parts text[];
  title text;
  option jsonb;
  found_option jsonb;
begin
  -- A title has at most 1,024 characters.
  if char_length(typed) > 1100 then
    return null;
  end if;
  said := messaging.fold_choice(typed);
  parts := regexp_match(said, '^([0-9]{1,2})(?:\s*[.):–—-]+\s*|\s+)(\S.*)$');
  for option in select * from jsonb_array_elements(choices)
  loop
    title := messaging.fold_choice(option->>'title');
    continue when not (
      said in (option->>'number', (option->>'number') || '.', (option->>'number') || ')')
      or said in (title, title || '.')
      or coalesce(parts[1] = option->>'number' and parts[2] = title, false)
    );
    if found_option is not null then
      return null;
    end if;
    found_option := option - 'number';
  end loop;
  return found_option;
end;
$$;
