-- Takes an instance's budget until the transaction ends, so that who reads after it what is left (see budget_state)
-- sees all that others have taken of it. In a statement of its own, before the one that reads. Without `waits`
-- returns false where another transaction has it; such a claim comes again.
create or replace function messaging.lock_budget(instance_id uuid, waits boolean)
returns boolean language plpgsql set search_path = '' as $$
declare
  lock_key constant bigint := hashtextextended('budget ' || instance_id, 0);
begin
  if not waits then
    return pg_try_advisory_xact_lock(lock_key);
  end if;
  perform pg_advisory_xact_lock(lock_key);
  return true;
end;
$$;
