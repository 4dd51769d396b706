-- Trigger: a contact whose name, e-mail, company or phone has changed is found by the new ones.
create or replace function messaging.follow_contact_search()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform messaging.refresh_contact_search(new.id);
  return null;
end;
$$;
