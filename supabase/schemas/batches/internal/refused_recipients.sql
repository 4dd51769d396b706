-- The pending recipients of a batch who may not be written to now, whatever their slot: blocked, opted out,
-- or without an address of the channel. Returns {<reason>: [{batch, index}]}. Locks nothing.
create or replace function messaging.refused_recipients(batch messaging.batches)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  instance constant messaging.instances := messaging.find_instance(batch.instance_id);
begin
  return (
    select coalesce(jsonb_object_agg(by_reason.reason, by_reason.places), '{}')
    from (
      select judged.reason,
        jsonb_agg(jsonb_build_object('batch', batch.id, 'index', r.index)) as places
      from messaging.batch_recipients r
      cross join lateral (
        select c.* from messaging.contacts c where c.id = r.contact_id offset 0
      ) as person
      cross join lateral (
        select (
          messaging.judge_recipient(
            instance, batch.purpose, c, r.phone, r.draft,
            row(r.index, r.contact_id, null, null, false, null, null)::messaging.batch_candidate
          )
        ).reason
        from messaging.contacts c
        where c.id = person.id
        offset 0
      ) as judged
      where r.batch_id = batch.id and r.status = 'pending'
        and messaging.may_be_refused(
          person.is_blocked, person.phone, person.consent_marketing, instance.people_scope, batch.purpose
        )
        and judged.reason is not null
      group by judged.reason
    ) as by_reason
  );
end;
$$;
