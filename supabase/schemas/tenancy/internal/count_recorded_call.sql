-- accept_message: counts a recorded call against its token's allowance, last, since the row of the
-- allowance is then locked until commit. `token_id`: the client that the transaction has
-- authenticated; NULL where the caller did so before, and has counted the call.
-- Returns `recorded`, with rateLimit (see describe_rate_limit; NULL where there is no limit) if it was
-- counted here. Errors: MI022 where nothing is left of the allowance.
create or replace function messaging.count_recorded_call(
  recorded jsonb,
  token_id uuid,
  function_name text,
  requests_per_minute integer
)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  whole_at timestamptz;
begin
  if token_id is null then
    return recorded;
  elsif requests_per_minute is null then
    return recorded || '{"rateLimit": null}';
  end if;
  whole_at := messaging.spend_requests(token_id, function_name, requests_per_minute, 1);
  if whole_at is null then
    raise exception using errcode = 'MI022', message = 'authenticate_anew';
  end if;
  return recorded || jsonb_build_object(
    'rateLimit', messaging.describe_rate_limit(requests_per_minute, whole_at, 0, true)
  );
end;
$$;
revoke all
on function messaging.count_recorded_call(jsonb, uuid, text, integer)
from public, anon, authenticated;
grant execute
on function messaging.count_recorded_call(jsonb, uuid, text, integer)
to service_role;
