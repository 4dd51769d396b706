-- settle_messages: locks the queue rows and messages whose claim the results still hold, and decides
-- what becomes of each. Changes nothing. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.decide_settlements(results jsonb, clock timestamptz)
returns messaging.settlement[] language plpgsql set search_path = '' as $$
declare
  settlements messaging.settlement[];
begin
  with decided as (
    select
      q.message_id,
      q.instance_id,
      m.contact_id,
      q.claim_token,
      -- A message of a group is in the unpaced lane only while it is in flight. Where it does not come back,
      -- nothing follows for its instance's queue, whose rows a batch of many holds for long.
      case when q.departs_at is not null and again.is_retried then 'paced' else q.lane end,
      r.outcome,
      r."providerMessageId",
      r."waId",
      r.error,
      r."sealedProviderConfig",
      q.echo,
      coalesce(r."isUnsent", false) as is_unsent,
      coalesce(r.outcome = 'rejected' and r.retryable, false) as is_retryable,
      again.is_retried,
      case
        when old.has_old_credentials or r.outcome <> 'rejected' then clock
        -- A delayed message waits for as long as the paced messages are held.
        when outage.is_outage then (
          select greatest(clock + messaging.hold_for_refusal(q.instance_id), d.hold_until)
          from messaging.dispatch_of(q.instance_id) as d
        )
        when r."isUnsent" then clock
        when r.retryable then clock + messaging.retry_delay(q.attempts, r."retryAfterMs")
      end as retry_at,
      outage.is_outage,
      coalesce(
        r.outcome = 'rejected' and r.scope = 'instance' and not old.has_old_credentials
          and not (r."retryAfterMs" is null and exists (
            select from messaging.dispatch_of(q.instance_id) as d where messaging.slows_pace(d, r.error)
          )),
        false
      ) as holds_instance,
      old.has_old_credentials,
      m.status = 'failed' and r.outcome = 'accepted'
        and m.provider_message_id is distinct from r."providerMessageId" as is_revived,
      r.outcome = 'accepted' and q.max_attempts > 1 and messaging.restarts_pause(m)
        as pauses_agent,
      r."calledAfterMs",
      r."channelStatus"
    from jsonb_to_recordset(results) as r(
      "messageId" uuid, "claimToken" uuid, outcome text, "providerMessageId" text, "waId" text,
      error jsonb, retryable boolean, "retryAfterMs" integer, scope text, "isOutage" boolean,
      "isUnsent" boolean, "sealedProviderConfig" text, "channelStatus" text,
      "calledAfterMs" integer
    )
    join messaging.message_queue q on q.message_id = any (array[r."messageId"])
    join messaging.messages m on m.id = any (array[q.message_id])
    -- A refusal of credentials that have been replaced since says nothing about the new ones.
    cross join lateral (
      select coalesce(
        r.scope = 'instance' and (
          select i.sealed_provider_config <> r."sealedProviderConfig"
          from messaging.instances i where i.id = q.instance_id
        ),
        false
      ) as has_old_credentials
    ) as old
    cross join lateral (
      select coalesce(
        r.outcome = 'rejected' and r.scope = 'instance' and not old.has_old_credentials
          and (r."isOutage" is true or r.retryable is not true),
        false
      ) as is_outage
    ) as outage
    -- A delivery event has proved what it moved on: that is not sent again, whatever the answer says.
    cross join lateral (
      select coalesce(
        r.outcome = 'rejected' and m.status in ('queued', 'sending', 'unconfirmed')
          and case
            when outage.is_outage or r."isUnsent" then q.max_attempts > 1
            else (r.retryable or old.has_old_credentials) and q.attempts < q.max_attempts
          end,
        false
      ) as is_retried
    ) as again
    where q.claim_token = r."claimToken"
    -- Not by q.message_id: an ordered scan of the whole queue would spare the sort.
    order by r."messageId"
    for no key update of q, m
  )
  select array_agg(row(decided.*)::messaging.settlement) into settlements from decided;
  return settlements;
end;
$$;

-- How long to wait before trying a message again: 2, 8, 32, 128, 512 seconds with up to a fifth
-- more at random, or the provider's Retry-After where that is longer. The one place of the backoff.
create or replace function messaging.retry_delay(attempts integer, retry_after_ms integer)
returns interval language sql volatile set search_path = '' as $$
  select greatest(
    interval '2 seconds' * power(4, least(attempts, 5) - 1) * (1 + random() / 5),
    interval '1 millisecond' * coalesce(retry_after_ms, 0)
  );
$$;

-- For how long to hold an instance that its provider refuses as a whole (credentials, payment): ten
-- seconds, so that a single refusal costs little; five minutes when it happens again within ten
-- minutes, so that a backlog is not used up. A hold in force is not prolonged.
create or replace function messaging.hold_for_refusal(instance_id uuid)
returns interval language plpgsql stable set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  dispatch messaging.dispatch;
begin
  select d.* into strict dispatch
  from messaging.dispatch d where d.instance_id = hold_for_refusal.instance_id;
  return case
    when dispatch.refused_at < clock - interval '10 minutes' then interval '10 seconds'
    when dispatch.hold_until > clock then interval '0'
    else interval '5 minutes'
  end;
end;
$$;
