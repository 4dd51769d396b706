-- The dispatcher: tells the conversations whose silence has lasted as long as an entry of their instance's `idle`
-- says, by conversation.idle, once for each silence and entry. Takes at most `request`.maxConversations of those
-- that are due, the longest due first; none that another run holds.
-- Returns {told, isComplete}: how many events, and whether nothing is left that is due.
create or replace function public.tell_idle_conversations(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  most constant integer := (request->>'maxConversations')::integer;
  due record;
  taken integer := 0;
  told integer := 0;
begin
  for due in
    with held as materialized (
      select w as watch from messaging.idle_watches w
      where w.due_at <= clock
      order by w.due_at
      limit most
      for update skip locked
    )
    select held.watch, i.idle, i.time_zone, v.status
    from held
    left join messaging.instances i on i.id = any (array[(held.watch).instance_id])
    left join messaging.conversations v on v.id = any (array[(held.watch).conversation_id])
    order by (held.watch).due_at, (held.watch).contact_id
  loop
    taken := taken + 1;
    told := told + messaging.tell_idle_conversation(
      due.watch, due.idle, due.time_zone, due.status, clock
    );
  end loop;
  return jsonb_build_object('told', told, 'isComplete', taken < most);
end;
$$;

-- tell_idle_conversations: records what is due of one watch, which the caller holds, and says when the next entry
-- is; ends the watch where none is, where the conversation is closed or is no more. Returns how many events.
create or replace function messaging.tell_idle_conversation(
  watch messaging.idle_watches, idle jsonb, time_zone text, status text, clock timestamptz
) returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  next_due_at timestamptz;
  after_minutes integer;
  told integer := 0;
begin
  if status <> 'closed' then
    for after_minutes in
      select (entry.value->>'afterMinutes')::integer as minutes
      from jsonb_array_elements(idle) as entry
      where entry.value->>'awaiting' = watch.awaiting
        and watch.since + make_interval(mins => (entry.value->>'afterMinutes')::integer)
          between watch.due_at and clock
      order by minutes
    loop
      perform messaging.record_event(
        watch.instance_id, watch.contact_id, 'conversation.idle', jsonb_build_object(
          'contactId', watch.contact_id,
          'conversationId', watch.conversation_id,
          'awaiting', watch.awaiting,
          'afterMinutes', after_minutes,
          'since', messaging.iso_in_zone(watch.since, time_zone),
          'lastMessageId', watch.last_message_id
        )
      );
      told := told + 1;
    end loop;
    next_due_at := messaging.idle_due_at(idle, watch.awaiting, watch.since, clock);
  end if;
  if next_due_at is null then
    delete from messaging.idle_watches w where w.contact_id = watch.contact_id;
  else
    update messaging.idle_watches w set due_at = next_due_at where w.contact_id = watch.contact_id;
  end if;
  return told;
end;
$$;
