-- Records the outcome of claimed messages and lets their instances go on.
-- `request`: results [{messageId, claimToken, outcome (accepted | rejected | unknown),
--   providerMessageId, waId, error {code, message}, retryable, retryAfterMs, scope, isOutage,
--   isUnsent (the provider was not called), sealedProviderConfig (the credentials of the call; NULL for
--   not known)}], and for an immediate send `response` {status, body (as text)} with `idempotency`
--   {scope, key}.
-- Only the holder of the claim settles. A late worker changes nothing, with two exceptions: that the
-- provider accepted the message is true however late it is reported, and so is that it was not called
-- (see take_back_unsent).
-- A status only moves forward, since a delivery event may have come before. A temporary refusal goes
-- back to the queue while attempts are left; a refusal of scope `instance` holds the whole instance.
-- An outage (session gone, credentials, account: not a rate limit) costs no attempt, so that it does
-- not use up the attempts of a backlog; nor does isUnsent.
-- Returns {settled}: the ids that were settled.
-- Acceptances of immediate sends take a short way, settle_plain_acceptances; all else, and whatever
-- that leaves, goes through the named steps.
-- Locks, in this order: provider message ids, addresses that are new, queue rows, messages, agent
-- pauses, pacing, dispatch, and where an answer shows a contact's phone, contacts. Rows of one table in
-- the order of their ids, so that two calls about the same messages never wait for each other.
-- Plans must not depend on statistics: the queue may hold ten rows or a million. The steps inherit the
-- settings below. A scan of an index by "= any (ids)" locks in the order of the ids; a bitmap would not.
create or replace function public.settle_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  clock constant timestamptz := clock_timestamp();
  results jsonb := request->'results';
  shows_addresses constant boolean := results @? '$[*].waId ? (@ != null)';
  settlements messaging.settlement[];
  plain uuid[] := '{}';
  settled uuid[];
  late uuid[];
  releases_instances boolean;
  pauses_agents boolean;
begin
  perform messaging.lock_answers(results, shows_addresses);
  if not shows_addresses and not results @? '$[*] ? (@.outcome != "accepted")' then
    plain := messaging.settle_plain_acceptances(results, clock);
    if cardinality(plain) = jsonb_array_length(results) then
      if nullif(request->'response', 'null') is not null then
        perform messaging.keep_response(request->'idempotency', request->'response', plain);
      end if;
      return jsonb_build_object('settled', to_jsonb(plain));
    end if;
    select jsonb_agg(r) into results
    from jsonb_array_elements(results) as r
    where (r->>'messageId')::uuid <> all (plain);
  end if;

  settlements := messaging.decide_settlements(results, clock);
  select coalesce(array_agg(s.message_id), '{}'),
    bool_or(s.lane = 'paced' or s.holds_instance),
    bool_or(s.pauses_agent)
  into settled, releases_instances, pauses_agents
  from unnest(settlements) as s;

  -- The outcome: queue rows, messages, the addresses that the answers prove.
  perform messaging.settle_queue_rows(settlements);
  perform messaging.settle_message_rows(settlements, clock);
  if shows_addresses then
    perform messaging.prove_answered_addresses(settlements, clock);
  end if;
  if cardinality(settled) < jsonb_array_length(results) then
    late := messaging.record_late_acceptances(results, settled, clock);
    settled := settled || messaging.take_back_unsent(results);
  end if;

  -- What follows for the agent, the message's own events, and its instance's queue.
  if pauses_agents then
    perform messaging.restart_agent_pauses(settlements, clock);
  end if;
  perform messaging.apply_unmatched_statuses(settled || late);
  if releases_instances then
    perform messaging.release_instances(settlements);
  end if;
  if nullif(request->'response', 'null') is not null then
    perform messaging.keep_response(request->'idempotency', request->'response', plain || settled);
  end if;

  -- Whose words the echoes were, and who the contact is.
  perform messaging.resolve_pending_echo(s.message_id, s.outcome, s.provider_message_id, s.echo)
  from unnest(settlements) as s
  where s.echo is not null;
  perform messaging.merge_echo_duplicates(settled || late);
  if shows_addresses then
    perform messaging.assign_contact_phone(c, s.wa_id)
    from unnest(settlements) as s
    join messaging.messages m on m.id = any (array[s.message_id])
    join messaging.contacts c on c.id = any (array[m.contact_id])
    where s.wa_id is not null and c.phone is null;
  end if;
  return jsonb_build_object('settled', to_jsonb(plain || settled));
end;
$$;
revoke all on function public.settle_messages(jsonb) from public, anon, authenticated;
grant execute on function public.settle_messages(jsonb) to service_role;
