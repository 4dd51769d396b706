-- settle_messages: records of results that no longer hold their claim that the provider accepted the
-- message. Returns the ids of those that this changed.
create or replace function messaging.record_late_acceptances(
  results jsonb, settled uuid[], clock timestamptz
) returns uuid[] language plpgsql set search_path = '' as $$
begin
  return (
    select array_agg(r."messageId") filter (
      where messaging.advance_message(r."messageId", r."providerMessageId", 'sent', clock, null)
    )
    from jsonb_to_recordset(results) as r("messageId" uuid, outcome text, "providerMessageId" text)
    where r.outcome = 'accepted' and r."messageId" <> all (settled)
  );
end;
$$;
