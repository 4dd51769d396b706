-- Does what is due of questions: sends reminders, ends those whose time is over, and takes reminders of ended ones
-- out of the queue. `request`: maxQuestions. Costs what is due: the look-up reads the index of due ones alone.
-- Waits for no contact, no instance's pacing and no question that another transaction holds: they are due again.
-- Locks per question the contact, pacing where its instance has protection, then the question; of an ended one the
-- reminder's message, then as end_queued_messages.
-- Returns {worked, sent, isComplete}: how many, how many reminders are to leave now, and whether none was left.
create or replace function public.run_questions(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  max_questions constant integer := (request->>'maxQuestions')::integer;
  clock constant timestamptz := clock_timestamp();
  seen integer := 0;
  worked integer := 0;
  sent integer := 0;
  due record;
  question messaging.questions;
begin
  for due in
    select q.id, q.contact_id, q.instance_id from messaging.questions q
    where q.due_at <= clock
    order by q.due_at
    limit max_questions
  loop
    seen := seen + 1;
    perform from messaging.contacts c where c.id = due.contact_id for no key update skip locked;
    continue when not found;
    if exists (
      select from messaging.instances i where i.id = due.instance_id and i.protection is not null
    ) then
      perform from messaging.pacing p
      where p.instance_id = due.instance_id for no key update skip locked;
      continue when not found;
    end if;
    select q.* into question from messaging.questions q
    where q.id = due.id and q.contact_id = due.contact_id and q.due_at <= clock
    for no key update skip locked;
    continue when not found;
    worked := worked + 1;
    if question.status <> 'open' then
      perform messaging.cancel_reminder(question);
    elsif question.expires_at <= clock then
      perform messaging.end_question(question.id, 'expired', null);
    elsif messaging.remind(question, clock) then
      sent := sent + 1;
    end if;
  end loop;
  return jsonb_build_object('worked', worked, 'sent', sent, 'isComplete', seen < max_questions);
end;
$$;

-- run_questions: sends the one reminder of an open question, inside the send window; where that is closed, when it
-- opens next. On the official channel only inside the conversation window. Returns whether one is to leave now.
create or replace function messaging.remind(question messaging.questions, clock timestamptz)
returns boolean language plpgsql set search_path = '' as $$
declare
  instance constant messaging.instances := messaging.find_instance(question.instance_id);
  refusal constant text := messaging.words_refusal(instance, question.contact_id, clock);
  opens_at timestamptz;
  reminder_id uuid;
begin
  if question.reminder_status is distinct from 'waiting' then
    update messaging.questions q set due_at = q.expires_at where q.id = question.id;
    return false;
  elsif refusal is null and not messaging.is_send_window_open(instance, clock) then
    opens_at := messaging.next_window_start(instance, clock);
    update messaging.questions q
    set due_at = least(opens_at, q.expires_at),
      reminder_status = case
        when opens_at < q.expires_at then 'waiting' else 'outside_window'
      end
    where q.id = question.id;
    return false;
  end if;
  reminder_id := messaging.send_question_words(question, question.reminder);
  update messaging.questions q
  set due_at = q.expires_at, reminder_message_id = reminder_id,
    reminder_status = case
      when reminder_id is not null then 'sent'
      when refusal = 'outside_conversation_window' then 'outside_window'
      else 'refused'
    end
  where q.id = question.id;
  return reminder_id is not null;
end;
$$;

-- run_questions: takes the reminder of an ended question out of the queue, where no worker has it.
create or replace function messaging.cancel_reminder(question messaging.questions)
returns void language plpgsql set search_path = '' as $$
begin
  perform from messaging.messages m
  where m.id = question.reminder_message_id
  for no key update skip locked;
  if found then
    perform messaging.end_queued_messages(array[question.reminder_message_id], 'canceled');
    update messaging.questions q set due_at = null where q.id = question.id;
  end if;
end;
$$;
