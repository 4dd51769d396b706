-- The tables and everything that only SQL calls stand in `messaging`, which the Data API does not
-- expose; `public` holds the functions that TypeScript calls.
create schema messaging;
revoke all on schema messaging from public;
grant usage on schema messaging to service_role;

-- What the role that migrates creates belongs to service_role and to nobody else, so no file grants
-- anything. The platform's own defaults would let anon and authenticated execute every function of
-- public and touch every table there.
alter default privileges revoke execute on functions from public;
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke execute on functions from anon, authenticated;
alter default privileges in schema public grant execute on functions to service_role;
alter default privileges in schema messaging grant execute on functions to service_role;
alter default privileges
in schema messaging
grant select, insert, update, delete on tables to service_role;
