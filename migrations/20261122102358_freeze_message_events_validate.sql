set local check_function_bodies = off;

alter table messaging.events validate constraint events_are_about_something;
