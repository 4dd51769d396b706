-- Writes that a message waits in the queue again, as if no attempt had been made. The caller holds it, and has
-- placed it.
create or replace function messaging.wait_again(message_id uuid, slot timestamptz, held_by text)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.messages m
  set status = 'queued', scheduled_for = slot, held_by = wait_again.held_by,
    confirmed_by_echo = false, sent_at = null, delivered_at = null, failed_at = null,
    unconfirmed_at = null, pricing = null, estimated_cost = null, cost_currency = null,
    is_free_service = null
  where m.id = wait_again.message_id;
end;
$$;
