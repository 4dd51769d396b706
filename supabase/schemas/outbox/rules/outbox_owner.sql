-- Whose work an outbox row is: its instance's, '' for nobody's. Owners of one kind take turns: see
-- claim_outbox. The row itself holds the id, which outlives the instance. Indexed (outbox_due_by_owner).
create or replace function messaging.outbox_owner(payload jsonb)
returns text language sql immutable parallel safe
return coalesce(payload ->> 'instanceId', '');
