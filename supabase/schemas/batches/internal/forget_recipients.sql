-- erase_rows: what batches keep of a person goes. The entries stay in their lists, skipped and without
-- anything of the person.
create or replace function messaging.forget_recipients(person_ids uuid[])
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  places jsonb := (
    select jsonb_agg(jsonb_build_object('batch', r.batch_id, 'index', r.index))
    from messaging.batch_recipients r
    where r.contact_id = any (person_ids)
  );
begin
  if places is null then
    return;
  end if;
  perform messaging.skip_recipients(places, 'contact_erased');
  update messaging.batch_recipients r
  set contact_id = null, phone = null, message_id = null, card_id = null
  where r.contact_id = any (person_ids);
end;
$$;
