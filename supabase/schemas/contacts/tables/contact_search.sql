-- What the list of contacts reads: their order, and the words that `q` looks in. Narrow rows in the
-- order of creation; written when a contact is created or one of these fields changes.
-- `created_at` is the contact's own and stays, though a merge may give the contact an earlier one:
-- pages keep their order.
create table messaging.contact_search (
  contact_id uuid primary key references messaging.contacts (id)
    on delete cascade,
  instance_id uuid not null,
  created_at timestamptz not null,
  words text not null
);
create index contact_search_page on messaging.contact_search (instance_id, created_at, contact_id);
-- The keys carry their instance: other instances' contacts make no look-up dearer.
create index contact_search_keys on messaging.contact_search using gin (
  messaging.search_keys(instance_id, words)
);
alter table messaging.contact_search enable row level security;
comment on column messaging.contact_search.words is
  'Name, e-mail, company and phones, folded by fold_text, one on each line.';
