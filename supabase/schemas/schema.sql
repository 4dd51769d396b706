-- The tables and everything that only SQL calls stand in `messaging`, which the Data API does not
-- expose; `public` holds the functions that TypeScript calls.
create schema messaging;
revoke all on schema messaging from public;
grant usage on schema messaging to service_role;

-- New objects belong to no other role until they are granted: the platform's defaults
-- would let anon and authenticated execute every new function and touch every new table.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke execute on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;
