-- Whether a reached budget stops a message: marketing, or any message of a batch, as `stops` of the budget says.
-- Answers, utility and authentication are never stopped.
create or replace function messaging.stopped_by_budget(budget jsonb, purpose text, batch_id uuid)
returns boolean language sql immutable
return coalesce(
  purpose = 'marketing'
  and budget -> 'stops' ? 'marketing'
  or batch_id is not null
  and messaging.told_purpose(purpose) in ('marketing', 'service')
  and budget -> 'stops' ? 'batches',
  false
);
