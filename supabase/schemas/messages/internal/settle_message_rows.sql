-- settle_messages: writes the outcomes into the messages. What a delivery event has moved on meanwhile
-- keeps its state; a failed message is revived where another attempt was accepted. Notes
-- whose failure may pause their batch.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.settle_message_rows(
  settlements messaging.settlement[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  failed uuid[];
  invitations uuid[];
begin
  with changed as (
    update messaging.messages m
    set attempts = least(m.attempts::integer + (not s.is_unsent)::integer, 32767),
      lost_claim_token = case when s.outcome = 'unknown' then s.claim_token end,
      last_error = case
        when m.status = 'failed' and not s.is_revived then m.last_error
        when s.outcome <> 'accepted' then s.error
      end,
      provider_message_id = coalesce(s.provider_message_id, m.provider_message_id),
      channel_status = s.channel_status,
      status = case
        when s.is_revived then 'sent'
        when m.status not in ('queued', 'sending', 'unconfirmed') then m.status
        when s.is_retried then 'queued'
        when s.outcome = 'accepted' then 'sent'
        when s.outcome = 'rejected' then 'failed'
        else 'unconfirmed'
      end,
      is_retryable = case
        when m.status in ('queued', 'sending', 'unconfirmed') then s.is_retryable
        else m.is_retryable
      end,
      sent_at = case when s.outcome = 'accepted' then coalesce(m.sent_at, clock) else m.sent_at end,
      failed_at = case
        when m.status = 'failed' and not s.is_revived then m.failed_at
        when s.outcome = 'rejected' and not s.is_retried
          and m.status in ('queued', 'sending', 'unconfirmed') then clock
      end,
      unconfirmed_at = case
        when s.outcome = 'unknown' and m.status in ('queued', 'sending') then clock
      end
    -- Told in the order of their ids.
    from (select * from unnest(settlements) order by message_id) as s
    where m.id = any (array[s.message_id])
    returning m.id, m.status = 'failed' and m.ladder ? 'invitationFor' as is_failed_invitation,
      messaging.may_pause_batch(m) and s.outcome = 'rejected' and not s.has_old_credentials as may_pause_batch
  )
  select array_agg(c.id) filter (where c.may_pause_batch),
    array_agg(c.id order by c.id) filter (where c.is_failed_invitation)
  into failed, invitations
  from changed c;
  perform messaging.note_batch_failures(failed);
  if invitations is not null then
    perform messaging.fail_invitation(m) from messaging.messages m
    where m.id = any (invitations);
  end if;
end;
$$;
