-- Records how the work of a claimed outbox row ended. `request`: outboxId, claimToken, outcome (done |
-- retry | dead), error (a code), retryAfterMs (at most a day counts). After its last attempt
-- (outbox_attempts) a row is `dead`: it stays, visible and retriable. Only the holder of the claim
-- settles. An agent's answer that is `dead` is recorded as agent.needs_person, with the error as its reason.
-- Returns {status}, NULL where the claim was lost.
create or replace function public.settle_outbox(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  settled_status text;
  unanswered uuid;
begin
  update messaging.outbox o
  set claim_token = null,
    last_error = request->>'error',
    status = case
      when request->>'outcome' = 'done' then 'done'
      when request->>'outcome' = 'dead' or o.attempts >= messaging.outbox_attempts(o.kind) then 'dead'
      else 'pending'
    end,
    settled_at = case
      when request->>'outcome' = 'retry' and o.attempts < messaging.outbox_attempts(o.kind) then null
      else clock_timestamp()
    end,
    run_at = clock_timestamp() + greatest(
      messaging.outbox_delay(o.kind, o.attempts),
      interval '1 millisecond'
        * least(coalesce((request->>'retryAfterMs')::double precision, 0), 86400000)
    )
  where o.id = (request->>'outboxId')::uuid
    and o.claim_token = (request->>'claimToken')::uuid
    and o.status = 'pending'
  returning o.status, case when o.kind = 'agent_reply' then o.conversation_id end
  into settled_status, unanswered;
  if settled_status = 'dead' and unanswered is not null then
    perform messaging.record_needed_persons(array[unanswered], coalesce(request->>'error', 'unknown'));
  end if;
  return jsonb_build_object('status', settled_status);
end;
$$;

-- How long an outbox row waits after this many attempts: 5 seconds, tripled each time, at most two hours.
-- A file's five attempts spread over an hour; the end of a question is told on the schedule of webhook endpoints.
create or replace function messaging.outbox_delay(kind text, attempts integer)
returns interval language sql volatile set search_path = '' as $$
  select case
    when kind = 'media_fetch'
      then make_interval(secs => (array[15, 120, 600, 2700])[least(greatest(attempts, 1), 4)])
    when kind = 'question_notification' then messaging.delivery_pause(least(attempts, 7), null)
    else least(interval '5 seconds' * power(3, attempts - 1), interval '2 hours')
  end;
$$;
