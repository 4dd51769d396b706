-- Days on which an instance's queue does not send, whatever the weekday.
create table messaging.holidays (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  day date not null,
  primary key (instance_id, day)
);
alter table messaging.holidays enable row level security;
