-- What contact.updated compares: every field of a contact that the API shows, by the API's names, and
-- its tags. The caller holds the contact locked.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.contact_state(contact_id uuid)
returns jsonb language sql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
  select jsonb_build_object(
    'phone', messaging.contact_display_phone(c),
    'tags', array(
      select t.tag_id from messaging.contact_tags t where t.contact_id = c.id order by t.tag_id
    )
  ) || messaging.contact_fields(c)
  from messaging.contacts c
  where c.id = contact_state.contact_id;
$$;
