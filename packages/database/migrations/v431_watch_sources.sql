-- readable-by: v410
-- proof: media_settings, watch_source, watch_decision, watch_import
-- Watch sources (media): folders and buckets whose recordings are imported.

-- Sealed keys of the sources.
create table if not exists media_settings (
  key        text primary key,
  -- A secret is {"key_id", "text"}, sealed with ENCRYPTION_KEY.
  value      jsonb not null,
  updated_at timestamptz not null default now(),
  updated_by text
);

create table if not exists watch_source (
  uuid              uuid primary key default gen_random_uuid(),
  name              text not null,
  enabled           boolean not null default true,
  -- Everything that administrators set, without keys.
  config            jsonb not null,
  -- The account that owns the imported files; null: chosen by the first folder.
  owner_id          uuid,
  -- Rises with every change: decisions of an earlier version are made again.
  version           integer not null default 1,
  status            text not null default 'checking' check (status in ('checking', 'available', 'unavailable')),
  error_code        text,
  error_message     text,
  status_since      timestamptz not null default now(),
  -- Identifies the folder at its last scan with files: an empty folder with another identity is not mounted.
  root_identity     text,
  files             integer not null default 0,
  has_events        boolean not null default false,
  scanned_at        timestamptz,
  scan_ms           integer,
  scan_requested_at timestamptz,
  -- The process that scans this source.
  holder            uuid,
  lease_until       timestamptz,
  created_at        timestamptz not null default now(),
  updated_at        timestamptz not null default now()
);

-- What was decided about each file of a source.
create table if not exists watch_decision (
  id              bigint generated always as identity primary key,
  source_id       uuid not null references watch_source (uuid) on delete cascade,
  path            text not null,
  -- Of the content: size and times of a file, the tag of an object.
  version         text not null,
  bytes           bigint not null,
  modified_at     timestamptz not null,
  decision        text not null,
  reason          text not null default '',
  source_version  integer not null,
  owner_id        uuid,
  sha256          text,
  media_file_id   uuid,
  -- Of the source file after its import: pending, done, failed; null: it stays.
  after_state     text,
  attempts        integer not null default 0,
  next_attempt_at timestamptz,
  decided_at      timestamptz not null default now(),
  -- Since when the file is missing in the source.
  gone_at         timestamptz
);
-- A path may be longer than an index entry.
create unique index if not exists uq_watch_decision_path on watch_decision (source_id, md5(path));
create index if not exists ix_watch_decision_latest on watch_decision (source_id, decided_at desc, id desc);

-- Content that was imported for an owner: never imported again, also after the file was deleted.
create table if not exists watch_import (
  owner_id      uuid not null,
  sha256        text not null,
  media_file_id uuid not null,
  imported_at   timestamptz not null default now(),
  primary key (owner_id, sha256)
);

grant select, insert, update, delete on media_settings, watch_source, watch_decision, watch_import to media;
