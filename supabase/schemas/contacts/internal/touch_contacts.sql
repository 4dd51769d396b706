-- Records that something has changed that reading these contacts or their conversations shows. The
-- caller has changed it in this transaction, and locks nothing afterwards that another transaction
-- holds while it waits for a contact: see contact_activity.
-- `contact_ids`: each once. Locks their rows in the order of the ids: a scan of an index by
-- "= any (ids)" goes through them in order.
create or replace function messaging.touch_contacts(contact_ids uuid[])
returns void
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  touched integer;
begin
  for attempt in 1..2 loop
    -- The condition announces the floor of change_instant before SET takes the instant.
    update messaging.contact_activity a
    set updated_at = greatest(a.updated_at, date_trunc('milliseconds', clock_timestamp()))
    where a.contact_id = any (contact_ids) and messaging.change_instant(a.instance_id) is not null;
    get diagnostics touched = row_count;
    exit when touched >= cardinality(contact_ids);
    -- While a database is upgraded, contacts may lack their rows.
    perform messaging.fill_contact_activity(contact_ids);
  end loop;
end;
$$;
revoke all on function messaging.touch_contacts(uuid[]) from public, anon, authenticated;
grant execute on function messaging.touch_contacts(uuid[]) to service_role;
