-- The table of what a provider's event (sent, delivered, read, failed) may change: under which condition
-- it moves an outbound message out of `status`. NULL for a pair that is not listed: such an event is
-- late or repeated, and changes nothing. Each condition compares the event's provider message id with
-- the id that the message has:
--   always           whatever the ids are
--   new_id           not the same id: one that is known before an attempt ends is an earlier attempt's
--   claimed_new_id   as new_id, and a worker has the message in hand
--   same_id          not another id: that is an earlier attempt's
-- fits_transition compares the ids; advance_message and climb_after_status apply it.
create or replace function messaging.message_transition(status text, event text)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return case status || ' > ' || event
    -- Waits in the queue, or a paced message in flight.
    when 'queued > sent'           then 'new_id'          -- it left, though its answer was lost
    when 'queued > delivered'      then 'always'          -- the customer has it
    when 'queued > read'           then 'always'          -- the customer has it
    when 'queued > failed'         then 'claimed_new_id'  -- while it only waits it cannot have failed
    -- An immediate message in flight.
    when 'sending > sent'          then 'new_id'          -- the event came before the answer
    when 'sending > delivered'     then 'always'          -- the event came before the answer
    when 'sending > read'          then 'always'          -- the event came before the answer
    when 'sending > failed'        then 'new_id'          -- the event came before the answer
    -- The outcome of its call is unknown: the event tells it.
    when 'unconfirmed > sent'      then 'new_id'          -- it left
    when 'unconfirmed > delivered' then 'always'          -- it left
    when 'unconfirmed > read'      then 'always'          -- it left
    when 'unconfirmed > failed'    then 'new_id'          -- it did not leave
    -- The provider has accepted it.
    when 'sent > delivered'        then 'always'          -- forward
    when 'sent > read'             then 'always'          -- forward; not every provider tells both
    when 'sent > failed'           then 'same_id'         -- the attempt that was accepted has failed
    -- Has arrived: it cannot fail any more.
    when 'delivered > read'        then 'always'          -- forward
    -- Left the queue unsent, and had left after all.
    when 'canceled > sent'         then 'new_id'          -- a claim was settled too late
    when 'canceled > delivered'    then 'always'          -- the customer has it
    when 'canceled > read'         then 'always'          -- the customer has it
    when 'expired > sent'          then 'new_id'          -- a claim was settled too late
    when 'expired > delivered'     then 'always'          -- the customer has it
    when 'expired > read'          then 'always'          -- the customer has it
    -- The provider called it failed, of whichever attempt, and it has arrived after all.
    when 'failed > delivered'      then 'always'          -- the customer has it
    when 'failed > read'           then 'always'          -- the customer has it
  end;
end;
$$;
