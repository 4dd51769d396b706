-- Says for known_denials that no person of this event is known to have denied: for an event that a call
-- has recalled the denials of before, and that is recorded by one which cannot be repeated with hashes, because it
-- settles messages of many instances.
create or replace function messaging.take_no_denials(event jsonb)
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.take_denial_hashes(jsonb_build_object('denialHashes', (
    select jsonb_object_agg(known.identity, null)
    from unnest(messaging.denial_identities(
      array[event->>'address'] || array(
        select jsonb_array_elements_text(coalesce(event->'otherAddresses', '[]'))
      )
    )) as known(identity)
  )));
end;
$$;
