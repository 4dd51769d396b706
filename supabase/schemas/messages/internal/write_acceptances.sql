-- accept_messages: stores the messages of the plain calls with their claims, and the outcomes under the
-- calls' keys. The caller holds the contacts.
create or replace function messaging.write_acceptances(plain messaging.acceptance[])
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.add_outbound_messages(array(
    select row(
      p.message_id, p.instance_id, p.contact_id, p.conversation_id, p.message, p.operator_id, null,
      'sent', (p.delivery->>'intervalSeconds')::integer, null, null, p.phone_given, null, null,
      p.claim_token, (p.delivery->>'leaseSeconds')::double precision
    )::messaging.outbound_message
    from unnest(plain) as p
  ));
  if exists (select from unnest(plain) as p where p.idempotency is not null) then
    update messaging.idempotency_keys k
    set outcome = messaging.accepted_outcome(
      'sent', p.contact_id, p.conversation_id, null, null, p.message_id, null, null, p.paused_until,
      p.time_zone, null, null
    ) - '{claimToken,to}'::text[]
    from unnest(plain) as p
    where k.scope = any (array[p.idempotency->>'scope'])
      and k.key = any (array[p.idempotency->>'key']);
  end if;
end;
$$;
