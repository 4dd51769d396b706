-- Labels of an instance, distinguished without regard to case, kept as first written.
create table messaging.tags (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  name text not null,
  color text not null,
  created_at timestamptz not null default now(),
  constraint tags_name_length check (char_length(name) between 1 and 50 and name = btrim(name)),
  constraint tags_color_hex check (color ~ '^#[0-9a-f]{6}$')
);
create unique index tags_name on messaging.tags (instance_id, lower(name));
alter table messaging.tags enable row level security;
