-- Ends all questions of a contact that wait or are open as `canceled` for `reason`. The caller holds the contact.
create or replace function messaging.end_questions_of_contact(contact_id uuid, reason text)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  question_id uuid;
begin
  for question_id in
    select q.id from messaging.questions q
    where q.contact_id = any (messaging.merged_contact_ids(end_questions_of_contact.contact_id))
      and messaging.is_question_live(q.status)
    order by q.id
    for no key update
  loop
    perform messaging.end_question(question_id, 'canceled', reason);
  end loop;
end;
$$;
