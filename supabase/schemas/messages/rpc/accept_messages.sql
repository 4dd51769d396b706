-- Records up to 32 sending calls in one transaction, those of them that are plain: see
-- plain_acceptances. Each statement serves the whole batch, because most of what an accepted message
-- costs is the start of a statement.
-- `request`: calls, each as the request of accept_message.
-- Returns {results}, one for each call: what accept_message returns, or NULL for a call of which nothing
-- was written. Those go through accept_message: what is not plain, what is to be refused, a known
-- `Idempotency-Key`, and the second of two equal ones.
-- Locks in the order of accept_message, and within each kind in one order for all batches: keys,
-- addresses of new contacts, contacts, conversations, agent pauses.
-- Errors: 40001 where a contact was merged or blocked meanwhile; the batch must be repeated.
-- Plans must not depend on statistics: the tables may hold ten rows or millions. The steps inherit the
-- settings below.
create or replace function public.accept_messages(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  calls constant jsonb := request->'calls';
  plain messaging.acceptance[] := messaging.plain_acceptances(calls, null);
begin
  if jsonb_array_length(calls) > 32 then
    raise exception 'at most 32 calls';
  end if;
  if exists (select from unnest(plain) as p where p.idempotency is not null) then
    plain := messaging.take_keys(plain);
  end if;
  if exists (
    select from unnest(plain) as p where p.conversation_id is null or p.has_active_agent
  ) then
    plain := messaging.complete_acceptances(calls, plain);
  end if;
  return jsonb_build_object(
    'results', messaging.write_acceptances(plain, jsonb_array_length(calls))
  );
end;
$$;
revoke all on function public.accept_messages(jsonb) from public, anon, authenticated;
grant execute on function public.accept_messages(jsonb) to service_role;
