-- Takes `requests` at once from a token's allowance of `requests_per_minute` for the function: all of
-- them, or none. A whole allowance may be used at once; it comes back evenly over a minute.
-- Returns when the allowance will be whole again, or NULL where fewer are left.
create or replace function messaging.spend_requests(
  token_id uuid, function_name text, requests_per_minute integer, requests integer
) returns timestamptz language plpgsql set search_path = '' as $$
declare
  share constant interval := interval '1 minute' / requests_per_minute * requests;
  whole_at timestamptz;
begin
  -- The clock is read under the row's lock, so that simultaneous requests are counted in order.
  insert into messaging.rate_limits as r (token_id, function_name, whole_at)
  select spend_requests.token_id, spend_requests.function_name, clock_timestamp() + share
  where requests <= requests_per_minute
  on conflict on constraint rate_limits_pkey do update
  set whole_at = messaging.spent_allowance(r.whole_at, share, clock_timestamp())
  where messaging.suffices_allowance(r.whole_at, share, clock_timestamp())
  returning r.whole_at into whole_at;
  if whole_at is null then
    -- The statement above has locked the row, whatever it holds.
    update messaging.rate_limits r
    set whole_at = clock_timestamp() + share
    where r.token_id = spend_requests.token_id and r.function_name = spend_requests.function_name
      and messaging.is_allowance_void(r.whole_at, clock_timestamp()) and requests <= requests_per_minute
    returning r.whole_at into whole_at;
  end if;
  return whole_at;
end;
$$;
