-- The key of the HMACs of kept_denials: one row, made with the first. Sealed by the API under its
-- credential keys, and resealed with the credentials when those are rotated: the HMACs stay valid.
create table messaging.denial_key (
  is_only boolean primary key default true,
  sealed_key text not null,
  constraint denial_key_one_row check (is_only)
);
alter table messaging.denial_key enable row level security;
comment on column messaging.denial_key.sealed_key is
  'AES-256-GCM sealed by the API; the database never sees it open.';
