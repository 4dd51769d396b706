-- settle_messages: takes settled messages out of the queue, or gives them back to it without a claim.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.settle_queue_rows(settlements messaging.settlement[])
returns void language plpgsql set search_path = '' as $$
begin
  with gone as (
    delete from messaging.message_queue q
    using unnest(settlements) as s
    where q.message_id = any (array[s.message_id]) and not s.is_retried
  )
  update messaging.message_queue q
  set claim_token = null,
    lease_until = null,
    echo = null,
    attempts = case when s.is_outage or s.is_unsent then q.attempts - 1 else q.attempts end,
    lane = case when q.departs_at is not null then 'paced' else q.lane end,
    visible_at = case when q.lane = 'unpaced' and q.departs_at is null then s.retry_at end,
    departs_at = null,
    -- A paced message that is refused for its whole instance, or was not sent, stays the head; otherwise
    -- others may pass.
    scheduled_at = case
      when (q.lane = 'paced' or q.departs_at is not null)
        and (s.holds_instance or s.has_old_credentials or s.is_unsent)
        then q.scheduled_at
      else s.retry_at
    end
  from unnest(settlements) as s
  where q.message_id = any (array[s.message_id]) and s.is_retried;
end;
$$;
