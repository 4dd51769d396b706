-- Erasures of persons, as contacts-api reports them. Holds nothing that tells who the person was once it
-- is done: `work` goes then.
create table messaging.erasures (
  id uuid primary key default gen_random_uuid(),
  instance_id uuid not null references messaging.instances (id)
    on delete cascade,
  contact_id uuid not null,
  status text not null default 'pending',
  counts jsonb not null default '{}',
  work jsonb,
  requested_at timestamptz not null default clock_timestamp(),
  done_at timestamptz,
  leader_id uuid references messaging.erasures (id)
    on delete cascade,
  constraint erasures_status_known check (status in ('pending', 'done')),
  constraint erasures_forget_when_done
    check ((status = 'pending') = (work is not null) and (status = 'done') = (done_at is not null))
);
create index erasures_of_instance on messaging.erasures (instance_id);
create index erasures_pending on messaging.erasures (requested_at) where status = 'pending';
create index erasures_led on messaging.erasures (leader_id) where leader_id is not null;
alter table messaging.erasures enable row level security;
comment on column messaging.erasures.counts is
  'How many rows of each kind are gone: see add_counts.';
comment on column messaging.erasures.work is
  'What is left to do: see run_erasures. It names the person, so it goes with the last step.';
comment on column messaging.erasures.leader_id is
  'Of the same person at another instance, by one call: the erasure that reports on all of them. See erase_person.';
