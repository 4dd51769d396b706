-- A question as messages-api reports it, with instants in the time zone of its instance.
create or replace function messaging.describe_question(question messaging.questions)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  zone constant text := (
    select i.time_zone from messaging.instances i where i.id = question.instance_id
  );
begin
  return jsonb_build_object(
    'questionId', question.id,
    'messageId', question.message_id,
    'batchId', question.batch_id,
    'key', question.key,
    'accept', question.accept,
    'status', question.status,
    'reason', question.reason,
    'createdAt', messaging.iso_in_zone(question.created_at, zone),
    'openedAt', messaging.iso_in_zone(question.opened_at, zone),
    'expiresAt', messaging.iso_in_zone(question.expires_at, zone),
    'endedAt', messaging.iso_in_zone(question.ended_at, zone),
    'reminderStatus', question.reminder_status,
    'reminderMessageId', question.reminder_message_id,
    'invalidMessageId', question.invalid_message_id,
    'answerMessageId', question.answer_message_id,
    'answer', question.answer
  ) || messaging.read_message_contact(question.contact_id);
end;
$$;
