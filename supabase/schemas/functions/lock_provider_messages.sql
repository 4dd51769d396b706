-- Lets one transaction at a time speak of a provider's message, until it commits: so that a delivery
-- event and the recording of the send it belongs to never miss each other. In one order for all.
create or replace function public.lock_provider_messages(instance_id uuid, provider_message_ids text[])
returns void
language sql
set search_path = ''
as $$
  select pg_advisory_xact_lock(hashtextextended(instance_id::text || ' ' || wanted.id, 0))
  from (
    select distinct unnest(provider_message_ids) as id
    order by id
  ) as wanted;
$$;
revoke all on function public.lock_provider_messages(uuid, text[]) from public, anon, authenticated;
grant execute on function public.lock_provider_messages(uuid, text[]) to service_role;
