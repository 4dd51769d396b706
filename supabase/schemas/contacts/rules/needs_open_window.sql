-- Whether a message goes only while the conversation window is open: on the official channel, any but a
-- template.
create or replace function messaging.needs_open_window(provider_class text, message_type text)
returns boolean language sql immutable
return provider_class = 'official' and message_type != 'template';
