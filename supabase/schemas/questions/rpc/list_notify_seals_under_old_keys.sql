-- admin-api: where ends of questions are told, sealed under a former key: by live questions, by batches that ask, and
-- by notifications that wait. `request`: keyIds (of all keys, the current one first), limit.
-- Returns {items: [{kind, id, instanceId, sealed}], total, unreadable: [id]}: the last are sealed under no key that
-- there is, at most `limit` of them too. Reads what has an address alone.
create or replace function public.list_notify_seals_under_old_keys(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  current_key constant text := request->'keyIds'->>0;
  most constant integer := (request->>'limit')::integer;
begin
  return (
    with former as materialized (
      select held.*, request->'keyIds' ? split_part(held.sealed, '.', 2) as is_readable
      from (
        select 'question' as kind, q.id, q.instance_id, q.sealed_notify as sealed
        from messaging.questions q
        where q.sealed_notify is not null
        union all
        select 'batch', b.id, b.instance_id, b.source->'ask'->>'sealedNotify'
        from messaging.batches b
        where b.source->'ask'->>'sealedNotify' is not null and b.status <> 'canceled'
        union all
        select 'notification', o.id, (o.payload->>'instanceId')::uuid, o.payload->>'sealedNotify'
        from messaging.outbox o
        where o.kind = 'question_notification' and o.settled_at is null
      ) as held
      where split_part(held.sealed, '.', 2) <> current_key
    )
    select jsonb_build_object(
      'items', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'kind', f.kind, 'id', f.id, 'instanceId', f.instance_id, 'sealed', f.sealed
        )), '[]')
        from (select r.* from former r where r.is_readable limit most) as f
      ),
      'total', (select count(*) from former f where f.is_readable),
      'unreadable', (
        select coalesce(jsonb_agg(f.id), '[]')
        from (select u.id from former u where not u.is_readable limit most) as f
      )
    )
  );
end;
$$;
