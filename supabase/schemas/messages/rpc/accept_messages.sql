-- Records up to 32 sending calls in one transaction, those of them that are plain: see
-- plain_acceptances.
-- `request`: calls, each as the request of accept_message.
-- Returns {results}, one for each call: what accept_message returns, or NULL for a call of which nothing
-- was written. Those go through accept_message: what is not plain, what is to be refused, a known
-- `Idempotency-Key`, the second of two equal ones, and what would wait for its contact: a batch has calls
-- of many tenants.
-- Locks known contacts that are free, and then in the order of accept_message, and within each kind in one
-- order for all batches: keys, addresses of new contacts, contacts, conversations, agent pauses, rate
-- limits. Others hold those for some milliseconds; where it takes longer, the batch gives up.
-- Errors: 55P03 where a lock is not free, MI055 where a contact was merged or blocked meanwhile, and MI022
-- where a token may not make all its calls of the batch: each must go through accept_message.
create or replace function public.accept_messages(request jsonb)
returns jsonb language plpgsql set search_path = '' set lock_timeout = '100ms' as $$
begin
  if jsonb_array_length(request->'calls') > 32 then
    raise exception 'at most 32 calls';
  end if;
  return jsonb_build_object('results', messaging.accept_plain_calls(request->'calls'));
end;
$$;
