-- Records contact.created for contacts that the caller has just inserted, with the state they have now.
-- NULL ids mean none. `identities`: those of one contact beside its phone (see told_identities), whose addresses the
-- caller has yet to store; NULL for those that are stored.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.record_new_contacts(
  contact_ids uuid[], identities jsonb default null
) returns void language plpgsql set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  denied messaging.contacts;
begin
  if contact_ids is null then
    return;
  end if;
  perform messaging.record_event(
    c.instance_id, c.id, 'contact.created',
    jsonb_build_object('contactId', c.id, 'phone', c.phone, 'name', c.name) || coalesce(
      identities,
      -- Who is made by a phone has nothing else yet.
      case when c.phone is null then (
        select jsonb_strip_nulls(h.identities) from messaging.hidden_identities(c.id) as h
      ) end,
      '{}'
    )
  )
  from messaging.contacts c
  where c.id = any (contact_ids);
  -- Who had denied marketing before an erasure is `denied` from the beginning: see recall_denial.
  for denied in
    select c.* from messaging.contacts c
    where c.id = any (contact_ids) and c.consent_marketing <> 'unknown'
    order by c.id
  loop
    insert into messaging.consent_log (instance_id, contact_id, marketing, said_at, source)
    values (
      denied.instance_id, denied.id, denied.consent_marketing, denied.consent_at,
      denied.consent_source
    );
    perform messaging.record_consent_event(denied);
  end loop;
end;
$$;
