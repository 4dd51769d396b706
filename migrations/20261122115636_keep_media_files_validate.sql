alter table messaging.outbox validate constraint outbox_kind_known;
