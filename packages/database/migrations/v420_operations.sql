-- readable-by: v410
-- proof: operations_settings, backup_run, mirror_run, mirror_object, operations_outbox
-- Backups and the media mirror (operations).
create table if not exists operations_settings (
  key        text primary key,
  -- A secret is {"key_id", "text"}, sealed with ENCRYPTION_KEY.
  value      jsonb not null,
  updated_at timestamptz not null default now(),
  updated_by text
);

-- A run exists before its job does, so a window of the schedule is claimed together with its work.
create table if not exists backup_run (
  uuid          uuid primary key default gen_random_uuid(),
  trigger       text not null check (trigger in ('manual', 'schedule')),
  status        text not null default 'queued' check (status in ('queued', 'running', 'success', 'failed')),
  scheduled_for timestamptz,
  -- Counts the runs of one scheduled time: an interrupted one is repeated.
  attempt       integer not null default 1,
  queued_at     timestamptz not null default now(),
  started_at    timestamptz,
  finished_at   timestamptz,
  -- Renewed by the process that runs it; after that time the process is dead.
  lease_until   timestamptz,
  destination   text,
  error_code    text,
  error_message text,
  name          text,
  bytes         bigint,
  unique (scheduled_for, attempt)
);
create unique index if not exists uq_backup_run_active on backup_run ((true)) where status in ('queued', 'running');
create index if not exists ix_backup_run_queued_at on backup_run (queued_at desc);

create table if not exists mirror_run (
  like backup_run including defaults including constraints,
  copied        integer not null default 0,
  bytes_copied  bigint not null default 0,
  already_there integer not null default 0,
  missing       integer not null default 0,
  differing     integer not null default 0,
  failed        integer not null default 0,
  -- The first names of what is missing, differs or could not be copied.
  report        jsonb not null default '{"missing": [], "differing": [], "failed": []}',
  primary key (uuid),
  unique (scheduled_for, attempt)
);
alter table mirror_run drop column if exists name, drop column if exists bytes;
create unique index if not exists uq_mirror_run_active on mirror_run ((true)) where status in ('queued', 'running');
create index if not exists ix_mirror_run_queued_at on mirror_run (queued_at desc);

-- What the mirror contains: an object whose size and version did not change is not read again.
create table if not exists mirror_object (
  key         text primary key,
  bytes       bigint not null,
  -- The version of the source object.
  etag        text not null,
  sha256      text not null,
  mirrored_at timestamptz not null default now(),
  -- Where the mirror is: rows of another one are deleted.
  destination text not null,
  -- The last runs that listed it in the mirror, with this size, and in the source.
  seen_by     uuid,
  seen_bytes  bigint,
  listed_by   uuid
);

create table if not exists operations_outbox (like identity_outbox including all);

grant select, insert, update, delete on operations_settings, backup_run, mirror_run, mirror_object, operations_outbox
  to operations;
