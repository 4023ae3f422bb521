-- readable-by: v449
-- proof: public_link
-- Media: links to one recording for people without an account.
create table if not exists public_link (
  uuid            uuid primary key default gen_random_uuid(),
  media_file_id   uuid not null references media_file (uuid) on delete cascade,
  created_by      uuid not null,
  -- SHA-256 of the token, which is shown once and not stored.
  token_hash      text not null unique,
  -- Argon2id; null: the link has no password.
  password_hash   text,
  parts           text[] not null check (cardinality(parts) > 0),
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  revoked_at      timestamptz,
  views           integer not null default 0,
  last_viewed_at  timestamptz,
  -- Wrong passwords in a row, and until when no further one is checked.
  failed_attempts integer not null default 0,
  retry_at        timestamptz
);
create index if not exists ix_public_link_file on public_link (media_file_id);
create index if not exists ix_public_link_created_by on public_link (created_by);
create index if not exists ix_public_link_expires on public_link (expires_at);

grant select, insert, update, delete on public_link to media;
