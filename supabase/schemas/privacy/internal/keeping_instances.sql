-- Those of these instances that keep denials of erased persons.
create or replace function messaging.keeping_instances(of_instances uuid[])
returns uuid[] language plpgsql stable set search_path = '' as $$
begin
  return array(
    select i.id from unnest(of_instances) as i(id)
    where exists (select from messaging.kept_denials d where d.instance_id = i.id)
  );
end;
$$;
