create trigger messages_record_change
after insert or update on messaging.messages
for each row
execute function messaging.record_message_change();
