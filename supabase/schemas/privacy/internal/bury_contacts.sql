-- Makes tombstones of an erased person's contacts: calls that name them are answered contact_erased, and
-- readers of changes see it.
create or replace function messaging.bury_contacts(instance_id uuid, contact_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  changed_at constant timestamptz := messaging.change_instant(instance_id);
begin
  delete from messaging.idle_watches w where w.contact_id = any (contact_ids);
  delete from messaging.conversation_turns t where t.contact_id = any (contact_ids);
  insert into messaging.contact_activity as a (contact_id, instance_id, updated_at, erased_at)
  select distinct named.id, bury_contacts.instance_id, changed_at, changed_at
  from unnest(contact_ids) as named(id)
  order by named.id
  on conflict on constraint contact_activity_pkey do update
  set erased_at = coalesce(a.erased_at, excluded.erased_at), last_message_at = null, awaits_reply = false,
    updated_at = greatest(a.updated_at, excluded.updated_at);
end;
$$;
