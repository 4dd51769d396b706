create table messaging.contact_tags (
  contact_id uuid not null references messaging.contacts (id)
    on delete cascade,
  tag_id uuid not null references messaging.tags (id)
    on delete cascade,
  created_at timestamptz not null default now(),
  primary key (contact_id, tag_id)
);
create index contact_tags_tag on messaging.contact_tags (tag_id);
alter table messaging.contact_tags enable row level security;
