-- Errors: MI035 where the contact's person was erased, or is being erased.
create or replace function messaging.refuse_erased(instance_id uuid, contact_id uuid)
returns void language plpgsql stable set search_path = '' as $$
begin
  if exists (
    select from messaging.contact_activity a
    where a.contact_id = refuse_erased.contact_id and a.instance_id = refuse_erased.instance_id
      and a.erased_at is not null
  ) then
    raise exception using errcode = 'MI035', message = 'contact_erased';
  end if;
end;
$$;
