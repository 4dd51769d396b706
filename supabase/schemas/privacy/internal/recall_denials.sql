-- Makes a contact `denied` that has said nothing and turns out, by further addresses, to be a person who had
-- denied marketing before an erasure; what its person has said at other instances counts too, see
-- note_person. The caller holds the contact locked. Errors: see known_denials.
create or replace function messaging.recall_denials(
  instance_id uuid, contact_id uuid, addresses text[]
) returns void language plpgsql set search_path = '' as $$
declare
  of_instances constant uuid[] := messaging.people_instances(recall_denials.instance_id);
  counts_for_person constant boolean := cardinality(of_instances) > 1;
  contact messaging.contacts;
  identity text;
  kept_at timestamptz;
begin
  select c.* into contact from messaging.contacts c where c.id = recall_denials.contact_id;
  if counts_for_person then
    perform messaging.note_person(contact);
  end if;
  if contact.consent_marketing is distinct from 'unknown'
    or cardinality(messaging.keeping_instances(of_instances)) = 0 then
    return;
  end if;
  foreach identity in array messaging.denial_identities(addresses) loop
    kept_at := messaging.kept_denial_at(recall_denials.instance_id, identity);
    if kept_at is not null then
      perform messaging.change_consent(
        recall_denials.contact_id,
        jsonb_build_object(
          'marketing', 'denied', 'source', 'erasure',
          -- When it was said counts beside what the person has said elsewhere.
          'saidAt', case when counts_for_person then kept_at end
        )
      );
      return;
    end if;
  end loop;
end;
$$;
