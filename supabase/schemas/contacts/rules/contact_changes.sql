-- The instant to store as updated_at of a contact that this transaction changes.
-- Transactions commit out of the order in which they took their instants. A reader that goes on from
-- the last instant that it saw would miss what commits later with an earlier one. So the transaction
-- announces a floor before it takes its instant: a shared advisory lock with the floor in milliseconds
-- (its low 32 bits) as its second key. It is held until the transaction's changes are visible.
-- change_horizon reads the floors: below the lowest nothing can appear any more. Writers never wait for
-- each other by it, and a slow transaction delays only the readers of its own instance.
-- The floor is taken first, then the instant, so that instant >= floor. Both are whole milliseconds, as
-- the API shows them: the condition is the floor, which comes first.
create or replace function messaging.change_instant(instance_id uuid)
returns timestamptz language sql volatile
return case
  when pg_advisory_xact_lock_shared(
    uuid_hash(instance_id) # 1163284301,
    (
      (floor(extract(epoch from clock_timestamp()) * 1000)::bigint & 4294967295) - 2147483648
    )::integer
  )::text is not null then date_trunc('milliseconds', clock_timestamp())
end;

-- Whether a contact still awaits a reply (see contact_activity) once a message was sent to it at `sent_at`;
-- NULL for none. `last_message_at`: of the message before, sent or received.
create or replace function messaging.awaits_reply_after(
  awaits_reply boolean, last_message_at timestamptz, sent_at timestamptz
) returns boolean language sql immutable
return awaits_reply and coalesce(last_message_at > sent_at, sent_at is null);
