-- A recipient's status as the API shows it: its message's, or what the batch has made of it.
create or replace function messaging.recipient_status(
  batch messaging.batches, recipient messaging.batch_recipients, message_status text
) returns text language plpgsql stable set search_path = '' as $$
begin
  return case
    when recipient.status = 'skipped' then 'skipped'
    when recipient.status = 'accepted' then case message_status
      when 'sending' then 'queued'
      else message_status
    end
    when batch.status = 'canceled' then 'canceled'
    when batch.status = 'finished' or batch.expires_at <= clock_timestamp() then 'expired'
    else 'pending'
  end;
end;
$$;
