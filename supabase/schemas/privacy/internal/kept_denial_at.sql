-- Since when kept_denials knows an identity of the instance, or of another one that people_instances names;
-- NULL where it does not. Errors: see known_denials.
create or replace function messaging.kept_denial_at(instance_id uuid, identity text)
returns timestamptz language plpgsql stable set search_path = '' as $$
declare
  keeping constant uuid[] := messaging.keeping_instances(
    messaging.people_instances(kept_denial_at.instance_id)
  );
begin
  if cardinality(keeping) = 0 then
    return null;
  end if;
  return (select k.kept_at from messaging.known_denials(keeping, array[identity]) as k);
end;
$$;
