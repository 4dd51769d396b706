-- Keeps what a call has decided outside the database under its `Idempotency-Key`. `request`: idempotency
-- (see begin_idempotent), outcome. Returns the outcome, or {replayed} where another call with this key was
-- sooner: both have done their work, and both are answered alike. Errors: MI007, MI008, MI035.
create or replace function public.keep_call(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
begin
  if replayed is not null then
    return replayed;
  end if;
  return messaging.keep_outcome(request, request->'outcome');
end;
$$;
