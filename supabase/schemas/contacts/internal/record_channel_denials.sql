-- Records that contacts have stopped marketing messages on the channel, as the errors of messages to them
-- mean (see shared/model/refusal_meaning.ts). `errors` stand beside their contacts. Locks the contacts in the
-- order of their ids. Errors: as in change_consent.
create or replace function messaging.record_channel_denials(contact_ids uuid[], errors jsonb[])
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.change_consent(
    refused.contact_id,
    jsonb_build_object('marketing', 'denied', 'source', refused.error->>'code')
  )
  from unnest(contact_ids, errors) as refused(contact_id, error)
  where refused.error->>'meaning' = 'contact_opted_out'
  order by refused.contact_id;
end;
$$;
