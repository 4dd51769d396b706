-- Makes a contact `denied` that has said nothing and turns out, by further addresses, to be a person who had
-- denied marketing before an erasure. The caller holds the contact locked. Errors: see is_kept_denial.
create or replace function messaging.recall_denials(
  instance_id uuid,
  contact_id uuid,
  addresses text[]
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  identity text;
begin
  if not exists (
    select from messaging.kept_denials d where d.instance_id = recall_denials.instance_id
  ) or not exists (
    select from messaging.contacts c
    where c.id = recall_denials.contact_id and c.consent_marketing = 'unknown'
  ) then
    return;
  end if;
  foreach identity in array messaging.denial_identities(addresses) loop
    if messaging.is_kept_denial(recall_denials.instance_id, identity) then
      perform messaging.change_consent(
        recall_denials.contact_id, jsonb '{"marketing": "denied", "source": "erasure"}'
      );
      return;
    end if;
  end loop;
end;
$$;
