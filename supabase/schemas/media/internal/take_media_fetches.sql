-- Claims received files that are due to be fetched, with what a worker needs for it. What there is nothing
-- to fetch for (any more) is settled. A file that a person has sent round again is `pending` again.
-- `crowding_instances`: see claim_outbox.
-- Returns an array of {outboxId, claimToken, file}.
create or replace function messaging.take_media_fetches(
  max_rows integer, lease_seconds integer, crowding_instances jsonb
) returns jsonb language plpgsql set search_path = '' as $$
declare
  claimed constant jsonb := public.claim_outbox(
    jsonb_build_object(
      'kinds', jsonb '["media_fetch"]', 'maxRows', max_rows, 'leaseSeconds', lease_seconds,
      'crowdingInstances', crowding_instances
    )
  )->'rows';
  claim jsonb;
  file jsonb;
  taken jsonb := '[]';
begin
  for claim in select c.value from jsonb_array_elements(claimed) as c
  loop
    file := public.begin_media_fetch(claim->'payload')->'file';
    if file = jsonb 'null' then
      perform public.settle_outbox(
        jsonb_build_object(
          'outboxId', claim->'outboxId', 'claimToken', claim->'claimToken', 'outcome', 'done'
        )
      );
    else
      taken := taken || jsonb_build_object(
        'outboxId', claim->'outboxId', 'claimToken', claim->'claimToken', 'file', file
      );
    end if;
  end loop;
  return taken;
end;
$$;
