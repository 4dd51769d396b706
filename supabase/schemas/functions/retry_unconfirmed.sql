-- Sends again what stayed unconfirmed for 15 minutes, on instances that chose so (onUnconfirmed =
-- `retry`; decisions, section 5) and while attempts are left; not after a day: what was held back for
-- long is a person's to send again, one by one. A message that cannot be queued now (its window never
-- opens) stays, and stops no other. Bounded by `request`.maxMessages a call. Returns {requeued}: how
-- many.
create or replace function public.retry_unconfirmed(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  message public.messages;
  requeued integer := 0;
begin
  for message in
    select m.*
    from public.messages m
    join public.instances i on i.id = m.instance_id
    where m.status = 'unconfirmed'
      and m.unconfirmed_at <= clock_timestamp() - interval '15 minutes'
      and m.unconfirmed_at > clock_timestamp() - interval '1 day'
      and i.on_unconfirmed = 'retry'
      and m.attempts < 6
    -- Pacing rows are locked one after the other: by instance, as everywhere.
    order by m.instance_id, m.unconfirmed_at
    limit (request->>'maxMessages')::integer
    for no key update of m skip locked
  loop
    begin
      perform public.requeue_message(message);
      requeued := requeued + 1;
    exception when sqlstate 'MI010' then
      null;
    end;
  end loop;
  return jsonb_build_object('requeued', requeued);
end;
$$;
revoke all on function public.retry_unconfirmed(jsonb) from public, anon, authenticated;
grant execute on function public.retry_unconfirmed(jsonb) to service_role;
