-- Until when an agent has used up its answers to one contact (30 an hour); NULL while it may answer.
-- Without a bound two robots would answer each other for ever. People stay far below it.
-- `answered_at`: when the newest 30 answers were given, oldest first.
create or replace function messaging.agent_limited_until(answered_at timestamptz[])
returns timestamptz language sql stable set search_path = '' as $$
  select answered_at[cardinality(answered_at) - 29] + interval '1 hour'
  where cardinality(answered_at) >= 30
    and answered_at[cardinality(answered_at) - 29] + interval '1 hour' > clock_timestamp();
$$;
