-- A stored payload's text without what is about a person: see without_person. NULL where nothing is left,
-- and where it is no JSON that can be looked into.
create or replace function messaging.redact_payload(payload text, pattern text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return messaging.without_person(payload::jsonb, pattern)::text;
exception
  when data_exception or program_limit_exceeded then
    return null;
end;
$$;
