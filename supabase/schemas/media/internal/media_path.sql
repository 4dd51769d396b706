-- Where a file lies in the storage. It names nobody, and a file that is stored again replaces itself.
-- In plpgsql, which keeps its plan.
create or replace function messaging.media_path(instance_id uuid, media_id uuid)
returns text language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return instance_id || '/' || media_id;
end;
$$;
