-- Whether a claim may take a row of the unpaced lane: it is visible, nobody has it, and its instance has not
-- all the calls under way that it may have. `full_instances` are those that have.
create or replace function messaging.is_due_unpaced(
  row_of_queue messaging.message_queue,
  full_instances uuid[],
  clock timestamptz
)
returns boolean
language sql
stable
return row_of_queue.lane = 'unpaced'
and row_of_queue.visible_at <= clock
and row_of_queue.claim_token is null
and row_of_queue.instance_id != all (full_instances);
