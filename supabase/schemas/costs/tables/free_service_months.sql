-- How many of a month's free service messages an instance has used: see count_free_services.
create table messaging.free_service_months (
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  month date not null,
  used integer not null,
  primary key (instance_id, month)
);
alter table messaging.free_service_months enable row level security;
comment on column messaging.free_service_months.month is 'Its first day, in UTC.';
