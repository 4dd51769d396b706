set local check_function_bodies = off;

alter table messaging.contacts validate constraint contacts_consent_known;
