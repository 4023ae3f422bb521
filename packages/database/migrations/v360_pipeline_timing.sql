-- Runs, their stages and tasks, and how long everything took (transcription-dispatcher); what is indexed (search-indexer).

create table run (
  uuid              uuid primary key default gen_random_uuid(),
  file_id           uuid not null,
  owner_id          uuid not null,
  -- The event that opened it: an event delivered twice opens one run.
  opened_by         text not null unique,
  status            text not null default 'running' check (status in ('running', 'completed', 'failed', 'cancelled')),
  waiting_for       text,
  object_key        text not null,
  content_type      text not null,
  options           jsonb not null,
  duration          double precision,
  transcript_version integer,
  sequence          integer not null default 0,
  warnings          text[] not null default '{}',
  infra_requeues    integer not null default 0,
  traceparent       text,
  created_at        timestamptz not null default now(),
  completed_at      timestamptz
);
create index ix_run_file on run (file_id, created_at desc);
create index ix_run_open on run (status) where status = 'running';

create table stage (
  run_id          uuid not null references run (uuid) on delete cascade,
  stage           text not null,
  status          text not null default 'pending' check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  artefact        text,
  output          jsonb,
  engine_seconds  double precision,
  started_at      timestamptz,
  completed_at    timestamptz,
  primary key (run_id, stage)
);

-- One order on the queue. `token` is the fence: it grows with every claim, and only the latest holder may commit.
create table task (
  uuid             uuid primary key default gen_random_uuid(),
  run_id           uuid references run (uuid) on delete cascade,
  file_id          uuid not null,
  owner_id         uuid not null,
  stage            text not null,
  subject          text not null,
  queue            text not null,
  input            jsonb not null,
  status           text not null default 'pending' check (status in ('pending', 'in_progress', 'completed', 'failed', 'cancelled')),
  token            integer not null default 0,
  attempt          integer not null default 0,
  infra_requeues   integer not null default 0,
  publications     integer not null default 0,
  worker           text,
  next_attempt_at  timestamptz,
  error_code       text,
  error_message    text,
  progress         double precision not null default 0,
  created_at       timestamptz not null default now(),
  published_at     timestamptz,
  started_at       timestamptz,
  completed_at     timestamptz
);
create index ix_task_open on task (status, next_attempt_at) where status in ('pending', 'in_progress');
create index ix_task_run on task (run_id);
create index ix_task_file on task (file_id, created_at desc);
create index ix_task_owner on task (owner_id, created_at desc);

create table file_pipeline_timing (
  run_id            uuid primary key references run (uuid) on delete cascade,
  file_id           uuid not null,
  user_id           uuid not null,
  audio_duration_s  double precision,
  file_opened_at    timestamptz not null,
  prepare_s         double precision,
  transcribe_s      double precision,
  diarize_s         double precision,
  assemble_s        double precision,
  index_s           double precision,
  engine_s          double precision,
  total_s           double precision,
  retry_count       integer not null default 0,
  completed_at      timestamptz
);

create table index_state (
  file_id             uuid primary key,
  owner_id            uuid not null,
  transcript_version  integer not null,
  chunks              integer not null default 0,
  model               text,
  semantic            boolean not null default false,
  indexed_at          timestamptz not null default now(),
  error               text
);

grant select, insert, update, delete on run, stage, task, file_pipeline_timing to transcription_dispatcher;
grant select, insert, update, delete on index_state to search_indexer;
