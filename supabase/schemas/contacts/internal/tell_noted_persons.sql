-- Brings what this transaction has noted of persons to their contacts at other instances: see note_person. A
-- contact that another transaction holds is left to the dispatcher.
create or replace function messaging.tell_noted_persons()
returns void
language plpgsql
set search_path = ''
as $$
declare
  noted constant text := current_setting('messaging.noted_persons', true);
begin
  perform set_config('messaging.noted_persons', '', true);
  perform messaging.tell_person(told.id::uuid)
  from unnest(string_to_array(rtrim(noted), ' ')) as told(id);
end;
$$;
