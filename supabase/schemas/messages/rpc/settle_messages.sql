-- Records the outcome of claimed messages and lets their instances go on.
-- `request`: results [{messageId, claimToken, outcome (accepted | rejected | unknown),
--   providerMessageId, waId, error {code, message}, retryable, retryAfterMs, scope, isOutage,
--   isUnsent (the provider was not called), sealedProviderConfig (what the call was made with; NULL for not known)}], and for an immediate
--   send `response` {status, body (as text)} with `idempotency` {scope, key}.
-- Only the holder of the claim settles. A late worker changes nothing, with two exceptions: that the
-- provider has accepted the message is true however late it is reported, and so is that it was not
-- called (see take_back_unsent). Statuses only move forward (a delivery event
-- may have come before). Temporary refusals go back to the queue while attempts are left; a refusal of
-- scope `instance` holds the whole instance. One that is no rate limit (an outage: session gone,
-- credentials, account) costs no attempt, so that a backlog is not burnt; nor does isUnsent.
-- Returns {settled}: the ids that were settled.
-- Locks, in this order: provider message ids, addresses that are new, queue rows, messages, agent
-- pauses, pacing, dispatch, and where an answer shows who somebody is, contacts.
-- The queue may hold ten rows or a million: its plans must not depend on what the statistics last saw.
create or replace function public.settle_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  shows_addresses constant boolean := request @? '$.results[*].waId';
  settled uuid[];
  silencing_instances uuid[];
  silencing_contacts uuid[];
  landing uuid[];
  held uuid[];
  held_until timestamptz[];
  are_outages boolean[];
  held_seals text[];
  echoes jsonb;
  late uuid[];
begin
  perform messaging.lock_provider_messages(
    array_agg(m.instance_id), array_agg(r."providerMessageId")
  )
  from jsonb_to_recordset(request->'results') as r("messageId" uuid, "providerMessageId" text)
  join messaging.messages m on m.id = r."messageId";

  if shows_addresses then
    perform messaging.lock_addresses(shown.instance_id, array_agg(shown.address))
    from (
      select m.instance_id, r."waId" as address
      from jsonb_to_recordset(request->'results') as r("messageId" uuid, "waId" text)
      join messaging.messages m on m.id = r."messageId"
      where r."waId" is not null and not exists (
        select from messaging.contact_addresses a
        where a.instance_id = m.instance_id
          and a.identity_key = messaging.phone_identity_key(r."waId") and a.contact_id = m.contact_id
      )
    ) as shown
    group by shown.instance_id
    order by shown.instance_id;
  end if;

  with result as (
    select * from jsonb_to_recordset(request->'results') as r(
      "messageId" uuid, "claimToken" uuid, outcome text, "providerMessageId" text, "waId" text,
      error jsonb, retryable boolean, "retryAfterMs" integer, scope text, "isOutage" boolean,
      "isUnsent" boolean, "sealedProviderConfig" text
    )
  ),
  won as materialized (
    select q.message_id, q.instance_id, q.claim_token, q.lane = 'paced' as is_paced, q.max_attempts,
      coalesce(r."isUnsent", false) as is_unsent,
      r.outcome, r."providerMessageId" as provider_message_id, r."waId" as wa_id, r.error,
      -- What a delivery event has moved on meanwhile is not sent again, whatever the answer says.
      coalesce(
        r.outcome = 'rejected' and m.status in ('queued', 'sending', 'unconfirmed')
          and case
            when outage.is_outage or r."isUnsent" then q.max_attempts > 1
            else (r.retryable or former.is_former) and q.attempts < q.max_attempts
          end,
        false
      ) as is_retried,
      outage.is_outage,
      coalesce(r.outcome = 'rejected' and r.scope = 'instance' and not former.is_former, false)
        as is_held,
      coalesce(r.outcome = 'rejected' and r.retryable, false) as is_retryable,
      r."sealedProviderConfig" as sealed_provider_config,
      former.is_former,
      m.status = 'failed' and r.outcome = 'accepted'
        and m.provider_message_id is distinct from r."providerMessageId" as is_revived,
      q.echo,
      case
        when former.is_former or r.outcome <> 'rejected' then clock
        -- A delayed message waits for as long as the paced ones are held.
        when outage.is_outage then (
          select greatest(clock + messaging.hold_for_refusal(q.instance_id), d.hold_until)
          from messaging.dispatch d where d.instance_id = q.instance_id
        )
        when r."isUnsent" then clock
        when r.retryable then clock + messaging.retry_delay(q.attempts, r."retryAfterMs")
      end as retry_at
    from result r
    join messaging.message_queue q on q.message_id = r."messageId"
    join messaging.messages m on m.id = q.message_id
    -- A refusal of credentials that have been replaced since says nothing about the new ones.
    cross join lateral (
      select coalesce(
        r.scope = 'instance' and (
          select i.sealed_provider_config <> r."sealedProviderConfig"
          from messaging.instances i where i.id = q.instance_id
        ),
        false
      ) as is_former
    ) as former
    cross join lateral (
      select coalesce(
        r.outcome = 'rejected' and r.scope = 'instance' and not former.is_former
          and (r."isOutage" is true or r.retryable is not true),
        false
      ) as is_outage
    ) as outage
    where q.claim_token = r."claimToken"
    for no key update of q, m
  ),
  gone as (
    delete from messaging.message_queue q using won
    where q.message_id = won.message_id and not won.is_retried
  ),
  waiting as (
    -- Refused for the whole instance, or not sent, it stays the head; else others may pass it.
    update messaging.message_queue q
    set claim_token = null,
      lease_until = null,
      echo = null,
      attempts = case when won.is_outage or won.is_unsent then q.attempts - 1 else q.attempts end,
      visible_at = case when won.is_paced then null else won.retry_at end,
      scheduled_at = case
        when won.is_paced and (won.is_held or won.is_former or won.is_unsent) then q.scheduled_at
        else won.retry_at
      end
    from won
    where q.message_id = won.message_id and won.is_retried
  ),
  recorded as (
    update messaging.messages m
    set attempts = least(m.attempts::integer + (not won.is_unsent)::integer, 32767),
      lost_claim_token = case when won.outcome = 'unknown' then won.claim_token end,
      last_error = case
        when m.status = 'failed' and not won.is_revived then m.last_error
        when won.outcome <> 'accepted' then won.error
      end,
      provider_message_id = coalesce(won.provider_message_id, m.provider_message_id),
      status = case
        -- What failed is an earlier attempt: this one has another id.
        when won.is_revived then 'sent'
        when m.status not in ('queued', 'sending', 'unconfirmed') then m.status
        when won.is_retried then 'queued'
        when won.outcome = 'accepted' then 'sent'
        when won.outcome = 'rejected' then 'failed'
        else 'unconfirmed'
      end,
      is_retryable = case
        when m.status in ('queued', 'sending', 'unconfirmed') then won.is_retryable
        else m.is_retryable
      end,
      sent_at = case when won.outcome = 'accepted' then coalesce(m.sent_at, clock) else m.sent_at end,
      failed_at = case
        when m.status = 'failed' and not won.is_revived then m.failed_at
        when won.outcome = 'rejected' and not won.is_retried
          and m.status in ('queued', 'sending', 'unconfirmed') then clock
      end,
      unconfirmed_at = case
        when won.outcome = 'unknown' and m.status in ('queued', 'sending') then clock
      end
    from won
    where m.id = won.message_id
    returning m.instance_id, m.contact_id, won.wa_id,
      won.outcome = 'accepted' and won.max_attempts > 1 and m.agent_id is null
        and m.sent_by is distinct from 'ai_agent' as silences_agent
  ),
  proven as (
    insert into messaging.contact_addresses as a (instance_id, address, contact_id, proven_at)
    select distinct on (r.instance_id, messaging.phone_identity_key(r.wa_id))
      r.instance_id, r.wa_id, r.contact_id, clock
    from recorded r
    where r.wa_id is not null
    order by r.instance_id, messaging.phone_identity_key(r.wa_id)
    on conflict on constraint contact_addresses_pkey do update
    set proven_at = excluded.proven_at, address = excluded.address
    where a.contact_id = excluded.contact_id
      and (
        a.address <> excluded.address
        or a.proven_at < clock - interval '1 day'
        or exists (
          select from messaging.contact_addresses newer
          where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
        )
      )
  )
  select
    array_agg(won.message_id),
    (select array_agg(r.instance_id order by r.contact_id) from recorded r where r.silences_agent),
    (select array_agg(r.contact_id order by r.contact_id) from recorded r where r.silences_agent),
    array_agg(won.instance_id) filter (where won.is_paced),
    array_agg(won.instance_id) filter (where won.is_held),
    array_agg(won.retry_at) filter (where won.is_held),
    array_agg(won.is_outage) filter (where won.is_held),
    array_agg(won.sealed_provider_config) filter (where won.is_held),
    jsonb_agg(jsonb_build_object(
      'messageId', won.message_id, 'outcome', won.outcome,
      'providerMessageId', won.provider_message_id, 'echo', won.echo
    )) filter (where won.echo is not null)
  into settled, silencing_instances, silencing_contacts, landing, held, held_until, are_outages,
    held_seals, echoes
  from won;
  settled := coalesce(settled, '{}');

  if cardinality(settled) < jsonb_array_length(request->'results') then
    select array_agg(r."messageId") filter (
      where messaging.advance_message(r."messageId", r."providerMessageId", 'sent', clock, null)
    ) into late
    from jsonb_to_recordset(request->'results') as r(
      "messageId" uuid, outcome text, "providerMessageId" text
    )
    where r.outcome = 'accepted' and r."messageId" <> all (settled);
    settled := settled || messaging.take_back_unsent(request->'results');
  end if;

  -- The pause began when the call was accepted; it begins again now that the message really left.
  if silencing_contacts is not null then
    perform messaging.pause_agent(m.instance_id, m.contact_id, clock)
    from (
      select s.instance_id, s.contact_id
      from unnest(silencing_instances, silencing_contacts) as s(instance_id, contact_id)
      where exists (
        select from messaging.ai_agents a where a.instance_id = s.instance_id and a.is_active
      )
      order by s.contact_id
    ) as m;
  end if;
  perform messaging.apply_unmatched_statuses(settled || late);
  if landing is not null or held is not null then
    perform messaging.release_instances(settled, landing, held, held_until, are_outages, held_seals);
  end if;
  if nullif(request->'response', 'null') is not null then
    update messaging.idempotency_keys k
    set response = request->'response',
      attempt = (select m.attempts from messaging.messages m where m.id = k.message_id)
    where k.scope = request->'idempotency'->>'scope' and k.key = request->'idempotency'->>'key'
      and k.message_id = any (settled);
  end if;
  perform messaging.resolve_pending_echo(e."messageId", e.outcome, e."providerMessageId", e.echo)
  from jsonb_to_recordset(echoes) as e(
    "messageId" uuid, outcome text, "providerMessageId" text, echo jsonb
  );
  perform messaging.merge_echo_duplicates(settled || late);
  if shows_addresses then
    perform messaging.assign_contact_phone(c, r."waId")
    from jsonb_to_recordset(request->'results') as r("messageId" uuid, "waId" text)
    join messaging.messages m on m.id = r."messageId"
    join messaging.contacts c on c.id = m.contact_id
    where r."waId" is not null and r."messageId" = any (settled) and c.phone is null;
  end if;
  return jsonb_build_object('settled', to_jsonb(settled));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;
