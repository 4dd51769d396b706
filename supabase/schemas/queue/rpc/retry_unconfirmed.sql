-- Sends messages again that stayed unconfirmed for 15 minutes, on instances with onUnconfirmed =
-- `retry` (decisions, section 5), while attempts are left. Not after a day: a person decides about
-- messages that were held back for so long. A message that cannot be queued now (its window never
-- opens) stays and stops no other. Handles at most `request`.maxMessages a call. Returns {requeued}:
-- how many.
create or replace function public.retry_unconfirmed(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  max_messages constant integer := (request->>'maxMessages')::integer;
  message messaging.messages;
  requeued integer := 0;
begin
  for message in
    select m.*
    from messaging.instances i
    -- Instance by instance, by messages_failures: unconfirmed messages of instances that hold them are not
    -- read. An unconfirmed message has no failed_at.
    cross join lateral (
      select u.* from messaging.messages u
      where u.instance_id = i.id
        and u.status = 'unconfirmed'
        and coalesce(u.failed_at, u.unconfirmed_at) <= clock - interval '15 minutes'
        and coalesce(u.failed_at, u.unconfirmed_at) > clock - interval '1 day'
        and u.attempts < 6
        and coalesce(u.expires_at > clock, true)
        -- An operator has decided about these after a restore: see settle_may_have_left.
        and u.last_error->>'code' is distinct from 'may_have_left'
      order by coalesce(u.failed_at, u.unconfirmed_at)
      limit max_messages
      for no key update skip locked
    ) as m
    where i.on_unconfirmed = 'retry'
      and not exists (
        select from messaging.dispatch d
        where d.instance_id = i.id
          and messaging.stopped_until(d) > clock
      )
    -- Locks pacing rows in the order of the instances, as everywhere.
    order by i.id, m.unconfirmed_at
    limit max_messages
  loop
    begin
      perform messaging.requeue_message(message);
      requeued := requeued + 1;
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
  return jsonb_build_object('requeued', requeued);
end;
$$;
