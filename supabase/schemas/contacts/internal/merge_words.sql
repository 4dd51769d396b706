-- merge_contacts: two contacts turned out to be one person, whose words count together from now on. Where the
-- merge keeps a denial although the other one granted later, the denial is the person's newest word.
create or replace function messaging.merge_words(merged messaging.contacts)
returns void
language plpgsql
set search_path = ''
as $$
declare
  instance record;
  word messaging.person_words;
begin
  select i.workspace_id, i.people_scope into instance
  from messaging.instances i where i.id = merged.instance_id;
  if instance.people_scope <> 'workspace' then
    return;
  end if;
  word := messaging.newest_word(
    instance.workspace_id,
    array(select p.identity_key from messaging.person_identities(merged.id) as p)
  );
  if merged.consent_marketing = 'denied' and word.marketing <> 'denied'
    and word.said_at >= merged.consent_at then
    perform messaging.say_word(merged, 'denied', word.said_at, merged.consent_source);
  end if;
  perform messaging.note_person(merged);
end;
$$;
