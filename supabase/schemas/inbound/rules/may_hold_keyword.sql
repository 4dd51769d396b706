-- Whether a received message of this type may be a keyword of consent: what a person has typed or tapped.
create or replace function messaging.may_hold_keyword(message_type text)
returns boolean language sql immutable
return message_type in ('text', 'option_list', 'choice');
