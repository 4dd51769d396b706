-- merge_contacts: what batches have for `gone` is for `kept` now. Where both are in one batch, only one is
-- written to: whoever has been already, else the first of the list.
create or replace function messaging.move_recipients(kept uuid, gone uuid)
returns void
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  doubled jsonb;
begin
  update messaging.batch_recipients r set contact_id = kept where r.contact_id = gone;
  if not found then
    return;
  end if;
  select jsonb_agg(jsonb_build_object('batch', ranked.batch_id, 'index', ranked.index)) into doubled
  from (
    select r.batch_id, r.index, r.status,
      row_number() over (partition by r.batch_id order by r.status = 'pending', r.index) as rank
    from messaging.batch_recipients r
    where r.contact_id = kept and r.status <> 'skipped'
  ) as ranked
  where ranked.rank > 1 and ranked.status = 'pending';
  if doubled is not null then
    perform messaging.skip_recipients(doubled, 'duplicate_contact');
  end if;
end;
$$;
revoke all on function messaging.move_recipients(uuid, uuid) from public, anon, authenticated;
grant execute on function messaging.move_recipients(uuid, uuid) to service_role;
