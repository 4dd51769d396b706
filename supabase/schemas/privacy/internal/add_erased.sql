-- Adds to an erasure what one step of it has deleted: `erased` {<kind>: count, phones: spellings of the
-- person's phone that the rows had}.
create or replace function messaging.add_erased(erasure messaging.erasures, erased jsonb)
returns messaging.erasures language plpgsql immutable set search_path = '' as $$
begin
  erasure.counts := messaging.add_counts(erasure.counts, erased - 'phones');
  erasure.work := erasure.work || jsonb_build_object('marks', messaging.merge_texts(
    erasure.work->'marks',
    messaging.person_marks(array(select jsonb_array_elements_text(erased->'phones')))
  ));
  return erasure;
end;
$$;
