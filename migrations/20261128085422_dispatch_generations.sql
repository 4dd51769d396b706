-- The key of dispatch begins with the newest version of a row, see its table. No longer one row an instance:
-- pacing, whose rows are written with it, holds that.
set local lock_timeout = '3s';

alter table messaging.dispatch add column if not exists generation bigint default 0 not null;

alter table messaging.dispatch drop constraint dispatch_pkey,
add constraint dispatch_pkey primary key (instance_id, generation);
