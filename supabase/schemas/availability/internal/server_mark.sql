-- Names a noted server as no other one is named: two standbys that were promoted with the same number of a timeline
-- have noted it at different instants. NULL for none.
create or replace function messaging.server_mark(server messaging.database_servers)
returns text language sql stable set search_path = '' as $$
  select concat_ws(
    '/', server.system_identifier, server.timeline, extract(epoch from server.noted_at)
  )
  where server.id is not null;
$$;
