-- Until when the instance's agent keeps silent towards a contact (specification, section 3).
create table messaging.agent_pauses (
  contact_id uuid primary key references messaging.contacts (id)
    on delete cascade,
  instance_id uuid not null,
  paused_until timestamptz not null
);
alter table messaging.agent_pauses enable row level security;
