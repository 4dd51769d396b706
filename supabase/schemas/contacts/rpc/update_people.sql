-- The dispatcher's part of peopleScope `workspace`: brings what persons have said at one instance to their
-- contacts at the others (`request`.maxPersons of those that are due), and takes one step, of at most
-- `request`.maxContacts contacts, of the oldest change of a workspace's scope (see change_people_scopes).
-- Returns {isComplete}: whether nothing is left that could be done now. Errors: MI037, see known_denials.
create or replace function public.update_people(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  has_more boolean;
  has_step boolean;
begin
  perform messaging.take_denial_hashes(request);
  has_more := messaging.update_noted_persons((request->>'maxPersons')::integer);
  has_step := messaging.change_people_scopes(
    (request->>'maxPersons')::integer, (request->>'maxContacts')::integer
  );
  perform messaging.touch_noted_contacts();
  return jsonb_build_object('isComplete', not (has_more or has_step));
end;
$$;
