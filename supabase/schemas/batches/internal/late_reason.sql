-- Why a recipient gets no message after all, since walk_batches has looked: its contact has replied, or what was sent
-- meanwhile hinders its payment request (see payment_hindrance). NULL for nothing, without a look at most batches.
create or replace function messaging.late_reason(batch messaging.batches, step messaging.batch_step)
returns text language plpgsql set search_path = '' as $$
begin
  if messaging.has_replied(batch, step.contact_id) then
    return 'replied';
  elsif messaging.asks_for_payment(batch) then
    return messaging.payment_hindrance(
      batch.instance_id,
      (
        select coalesce(r.draft, jsonb_build_object('content', m.content))->'content'->'payment'
        from messaging.batch_recipients r
        left join messaging.messages m on m.id = r.message_id
        where r.batch_id = batch.id and r.index = step.index
      ),
      step.message_id
    );
  end if;
  return null;
end;
$$;
