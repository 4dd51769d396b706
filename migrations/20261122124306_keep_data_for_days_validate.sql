set local check_function_bodies = off;

alter table messaging.instances validate constraint instances_retention_days;
