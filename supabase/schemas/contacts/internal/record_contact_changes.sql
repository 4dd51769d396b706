-- Records contact.updated with the fields that differ from `before`, which is what contact_state said
-- before the change, or those of its members that may have changed; nothing where none does.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_contact_changes(
  instance_id uuid, contact_id uuid, before jsonb
) returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  state constant jsonb := messaging.contact_state(contact_id);
  changed constant text[] := array(
    select f.key from jsonb_each(before) as f where f.value <> state->f.key order by f.key
  );
begin
  if changed = '{}' then
    return;
  end if;
  perform messaging.note_contact(contact_id);
  perform messaging.record_event(
    record_contact_changes.instance_id, c.id, 'contact.updated',
    messaging.event_person(c) || jsonb_build_object('fieldsUpdated', changed)
  )
  from messaging.contacts c
  where c.id = record_contact_changes.contact_id;
end;
$$;
