set local check_function_bodies = off;

alter table messaging.dispatch validate constraint dispatch_connection_known;
alter table messaging.outbox validate constraint outbox_kind_known;
