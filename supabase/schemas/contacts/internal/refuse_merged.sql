-- For a reader that found a contact in an earlier statement, when it has read. NULL is none.
-- Errors: MI055 where the contact was merged or erased since; the call must be repeated.
create or replace function messaging.refuse_merged(contact_id uuid)
returns void language plpgsql stable set search_path = '' as $$
begin
  if not exists (
    select from messaging.contacts c
    where c.id = refuse_merged.contact_id and c.merged_into is null
  ) and contact_id is not null then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
end;
$$;
