-- The server that was noted last; all NULL where none was.
create or replace function messaging.noted_server()
returns messaging.database_servers language sql stable set search_path = '' as $$
  select s from messaging.database_servers s order by s.id desc limit 1;
$$;
