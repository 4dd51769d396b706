-- The market of a workspace's rates that a phone belongs to: that of the longest calling code. No row for a
-- phone that no market has, and for none.
create or replace function messaging.market_of_phone(workspace_id uuid, phone text)
returns table (market text) language sql stable
begin atomic
  select k.market
  from messaging.rate_markets as k
  where
    k.workspace_id = market_of_phone.workspace_id
    and k.calling_code = any (
      array(
        select left(market_of_phone.phone, d.digits)
        from generate_series(0, 7) as d (digits)
      )
    )
  order by length(k.calling_code) desc
  limit 1;
end;
