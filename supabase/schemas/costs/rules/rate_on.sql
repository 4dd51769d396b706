-- What a message of this category costs in a market on a day in UTC, in the currency of the workspace's
-- rates. No row where no rate holds then. `category`: in lower case.
create or replace function messaging.rate_on(
  workspace_id uuid, market text, category text, day date
) returns table (amount numeric) language sql stable
begin atomic
  select r.amount
  from messaging.rates as r
  where
    r.workspace_id = rate_on.workspace_id
    and r.market = rate_on.market
    and r.category = rate_on.category
    and r.effective_from <= rate_on.day
  order by r.effective_from desc
  limit 1;
end;
