-- The files of ours that a ladder's templates have as their headers; empty for none, and for no ladder.
create or replace function messaging.ladder_files(ladder jsonb)
returns uuid[] language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select distinct (r.rung->>'mediaId')::uuid
    from jsonb_array_elements(ladder->'rungs') as r(rung)
    where r.rung->>'mediaId' is not null
    order by 1
  );
end;
$$;
