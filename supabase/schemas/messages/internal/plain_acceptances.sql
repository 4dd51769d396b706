-- accept_messages: reads, in one statement, everything that the plain calls of a batch need, and leaves
-- the others out. Plain is an immediate send of a person or a system, without an assignment and without
-- an agent, to a contact that may be written to, by a client that is authenticated (see require_client).
-- Writes and locks nothing.
-- `calls`: the requests of accept_message. `known`: NULL, or the result of an earlier reading, whose
-- calls alone are read again, under the ids that they have.
create or replace function messaging.plain_acceptances(calls jsonb, known messaging.acceptance[])
returns messaging.acceptance[] language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
begin
  return (
    select array_agg(
      row(
        call.place, i.id, i.time_zone,
        pausable.has_agent,
        call.phone, wanted.identity_key, t.id,
        call.authentication->>'functionName', i.requests_per_minute,
        t.is_use_due,
        call.idempotency, call.message, call.delivery,
        coalesce(former.message_id, gen_random_uuid()),
        coalesce(former.claim_token, gen_random_uuid()),
        coalesce(own.id, shown.id), v.id,
        v.assigned_to,
        nullif(call.phone, coalesce(own.phone, shown.phone)),
        sending.address,
        former.paused_until
      )::messaging.acceptance
      order by call.place
    )
    from rows from (
      jsonb_to_recordset(calls) as (
        "instanceId" uuid, phone text, idempotency jsonb, message jsonb, delivery jsonb,
        authentication jsonb
      ),
      jsonb_array_elements(calls)
    ) with ordinality as call (
      instance_id, phone, idempotency, message, delivery, authentication, request, place
    )
    left join unnest(known) as former on former.place = call.place
    -- "offset 0" keeps each look-up to itself: whatever the statistics, it has both columns of its key.
    cross join lateral (
      select n.id, n.time_zone, n.requests_per_minute, n.provider_class, n.protection,
        n.people_scope, n.workspace_id, n.budget, n.connected_phone_key, n.xmin::text as version
      from messaging.instances n
      where n.id = call.instance_id
      offset 0
    ) as i
    left join lateral (
      select k.* from messaging.sending_token(i.id, i.version, call.authentication, clock) as k
      offset 0
    ) as t on true
    cross join lateral (
      select messaging.phone_identity_key(call.phone) as identity_key
      offset 0
    ) as wanted
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.consent_at,
        c.last_inbound_at
      from messaging.contacts c
      where c.instance_id = i.id and c.identity_key = wanted.identity_key
      offset 0
    ) as own on true
    left join lateral (
      select c.id, c.phone, c.is_blocked, c.consent_marketing, c.consent_at,
        c.last_inbound_at
      from messaging.contacts c
      where own.id is null and c.id = (
        select a.contact_id from messaging.contact_addresses a
        where a.instance_id = i.id and a.identity_key = wanted.identity_key
      )
      offset 0
    ) as shown on true
    left join lateral (
      select c.id, c.assigned_to
      from messaging.conversations c
      where c.contact_id = coalesce(own.id, shown.id)
      offset 0
    ) as v on true
    cross join lateral (
      select exists (
        select from messaging.ai_agents a where a.instance_id = i.id and a.is_active
      ) as has_agent
      offset 0
    ) as pausable
    left join lateral messaging.proven_address(coalesce(own.id, shown.id), false) as sending on true
    where messaging.is_bare_message(call.request)
      and messaging.leaves_at_once(call.delivery, clock)
      and call.delivery->>'timing' is null
      -- Its sends are counted, one by one: see count_unpaced_send.
      and i.protection is null
      -- May have to wait: see budget_hold.
      and not messaging.stopped_by_budget(i.budget, call.message->>'purpose', null)
      -- Leaves the agent as it is, and says so: a template's, as a rule.
      and (call.message->>'pausesAgent' is null or not pausable.has_agent)
      and call.message->'fit' is null
      -- Is refused where it would make a contact: see find_or_add_contact.
      and wanted.identity_key <> i.connected_phone_key
      and messaging.send_refusal(
        coalesce(own.is_blocked, shown.is_blocked),
        messaging.effective_consent(
          call.message->>'purpose', i.people_scope, i.workspace_id,
          coalesce(own.id, shown.id), wanted.identity_key,
          coalesce(own.consent_marketing, shown.consent_marketing),
          coalesce(own.consent_at, shown.consent_at)
        ),
        coalesce(own.last_inbound_at, shown.last_inbound_at),
        i.provider_class, call.message->>'messageType', call.message->>'purpose', clock
      ) is null
      and (call.authentication is null or t.id is not null)
      and (known is null or former.place is not null)
  );
end;
$$;
