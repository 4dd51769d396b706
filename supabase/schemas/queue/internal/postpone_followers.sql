-- Makes unpaced messages that leave after another one (goes_after) invisible for half a second, and for as
-- long as that one is. The caller has locked the queue rows. Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.postpone_followers(message_ids uuid[], clock timestamptz)
returns void language plpgsql set search_path = '' as $$
begin
  update messaging.message_queue q
  set visible_at = greatest(clock, case when f.claim_token is null then f.visible_at end)
    + interval '500 milliseconds'
  from messaging.message_queue f
  where q.message_id = any (message_ids) and f.message_id = any (array[q.goes_after]);
end;
$$;
