-- Records a sending call in one transaction: contact, conversation, assignment, message, slot, agent
-- pause, idempotency key. No provider is called before it has committed.
-- `request`: instanceId, phone | contactId | userId (see find_recipient), idempotency (see begin_idempotent),
--   assignment (see assign_conversation) or NULL,
--   message {messageType, message, content, mediaId, cardId, metadata, purpose, sentBy, delayTypingMs,
--     needsPhone, pausesAgent (false or absent)} or NULL,
--   agent when the message is the agent's: {agentId, collectedData} to open the conversation, or
--     {agentId, answeredBefore, answersThrough} to answer in it (see take_agent_turn); or NULL,
--   delivery {queued, delaySeconds, isDeferred, intervalSeconds, leaseSeconds}; deferred is left to
--     the dispatcher, due at once; timing {sendAt, expiresAt, cancelKey} where one of them is given,
--   authentication {tokenHash, functionName, instanceVersion} where the caller has not authenticated
--     the request but prepared it with an earlier answer of authenticate_client: it is authenticated
--     and counted here.
-- Returns the outcome: mode, contactId, conversationId, agentId, assignment, messageId, status,
-- scheduledFor and heldBy (see expected_departure), aiAgentPausedUntil; for an immediate send also
-- claimToken and `to`, the address: the caller holds the claim for leaseSeconds and must settle it. Or
-- {replayed: ...} for a known key, and {attempted: ...} where that key's message is to be tried again
-- (see attempt_again). With authentication also rateLimit (see describe_rate_limit).
-- Most calls are plain, and take the short way of record_plain_call.
-- Locks, in this order: key, contact, conversation, agent pause, pacing, dispatch, rate limit.
-- Errors: MI001, MI002, MI003 and MI009 (agent), MI005 (blocked), MI006 (24-hour window), MI007,
-- MI008, MI010, MI031 (contactId), MI033 (no phone), MI034 (marketing to a contact that has denied it), MI018 (the
-- agent is to be silent), MI022 (the caller must authenticate anew), MI041,
-- MI042, MI043 and MI057 (timing), MI051 to MI054 (the file: see take_media).
create or replace function public.accept_message(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  recorded jsonb := messaging.record_plain_call(request);
  authentication jsonb;
  client record;
begin
  if recorded is not null then
    return recorded;
  end if;
  authentication := nullif(request->'authentication', 'null');
  if authentication is null then
    return messaging.record_sending_call(request);
  end if;
  client := messaging.require_client(authentication, (request->>'instanceId')::uuid);
  recorded := messaging.record_sending_call(request);
  return messaging.count_recorded_call(
    recorded, client.token_id, authentication->>'functionName', client.requests_per_minute
  );
end;
$$;
