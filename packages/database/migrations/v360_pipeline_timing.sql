-- readable-by: v010
-- proof: run, stage, task, file_pipeline_timing, index_state
-- Runs, their stages and tasks, and how long everything took (transcription-dispatcher); what is indexed (search-indexer).

create table run (
  uuid               uuid primary key,
  file_id            uuid not null,
  owner_id           uuid not null,
  status             text not null default 'running' check (status in ('running', 'completed', 'failed', 'cancelled')),
  -- Why it makes no progress although nothing is wrong.
  waiting_for        text check (waiting_for in ('engine', 'worker')),
  object_key         text not null,
  content_type       text not null,
  options            jsonb not null,
  audio_duration_s   double precision,
  -- Grows with every accepted stage.
  sequence           integer not null default 0,
  warnings           text[] not null default '{}',
  -- The event that opened it, and when that happened by its sender's clock: an event delivered twice opens one run.
  opened_by          text not null unique,
  ordered_at         timestamptz not null,
  -- When the last stage's event was sent again because nobody seemed to have heard it.
  reminded_at        timestamptz,
  traceparent        text,
  created_at         timestamptz not null default now(),
  completed_at       timestamptz
);
create unique index uq_run_running_per_file on run (file_id) where status = 'running';
create index ix_run_file on run (file_id, created_at desc);

create table stage (
  run_id          uuid not null references run (uuid) on delete cascade,
  stage           text not null,
  status          text not null default 'pending' check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  artefact        text,
  output          jsonb,
  engine_seconds  double precision,
  ordered_at      timestamptz,
  started_at      timestamptz,
  completed_at    timestamptz,
  primary key (run_id, stage)
);

-- One order for one worker. `token` is the fence: it grows with every claim, and only the latest holder may commit.
create table task (
  uuid             uuid primary key,
  -- null: an order outside a run (index a file anew).
  run_id           uuid references run (uuid) on delete cascade,
  file_id          uuid not null,
  owner_id         uuid not null,
  stage            text not null,
  subject          text not null,
  queue            text not null,
  input            jsonb not null,
  status           text not null default 'pending' check (status in ('pending', 'in_progress', 'completed', 'failed', 'cancelled')),
  token            integer not null default 0,
  worker           text,
  -- Attempt policy: failures count, a lost worker does not.
  failures         integer not null default 0,
  max_failures     integer not null,
  backoff_ms       integer not null,
  infra_requeues   integer not null default 0,
  next_attempt_at  timestamptz,
  -- Orders put on the bus for this task.
  publications     integer not null default 0,
  published_at     timestamptz,
  claimed_at       timestamptz,
  started_at       timestamptz,
  completed_at     timestamptz,
  error_code       text,
  error_message    text,
  created_at       timestamptz not null default now()
);
-- A stage of a run is ordered once; a file has at most one open order to be indexed anew.
create unique index uq_task_run_stage on task (run_id, stage) where run_id is not null;
create unique index uq_task_open_index on task (file_id) where run_id is null and status = 'pending';
create index ix_task_open on task (status, next_attempt_at) where status in ('pending', 'in_progress');
create index ix_task_file on task (file_id, created_at desc);
create index ix_task_owner on task (owner_id, created_at desc);

create table file_pipeline_timing (
  run_id              uuid primary key references run (uuid) on delete cascade,
  file_id             uuid not null,
  user_id             uuid not null,
  audio_duration_s    double precision,
  engine              text,
  file_opened_at      timestamptz not null,
  -- Wall seconds of each stage from claim to commit, and what its engine worked of that.
  prepare_s           double precision,
  prepare_engine_s    double precision,
  transcribe_s        double precision,
  transcribe_engine_s double precision,
  diarize_s           double precision,
  diarize_engine_s    double precision,
  assemble_s          double precision,
  assemble_engine_s   double precision,
  index_s             double precision,
  index_engine_s      double precision,
  -- Seconds in which its orders lay in a queue.
  queue_s             double precision not null default 0,
  engine_s            double precision not null default 0,
  total_s             double precision,
  retry_count         integer not null default 0,
  completed_at        timestamptz
);
create index ix_file_pipeline_timing_completed on file_pipeline_timing (completed_at desc);

-- What search knows of each file: what it shows (title, tags, ...), what it indexed, and what it owes (due_at).
create table index_state (
  file_id             uuid primary key,
  owner_id            uuid not null,
  transcript_version  integer not null default 0,
  title               text not null default '',
  tags                text[] not null default '{}',
  speakers            text[] not null default '{}',
  content_type        text not null default '',
  duration            double precision,
  language            text,
  upload_time         timestamptz,
  fingerprint         text not null default '',
  -- The build of the index that holds the file's rows; another one means they are gone or being made.
  generation          text,
  chunks              integer not null default 0,
  model               text,
  semantic            boolean not null default false,
  indexed_at          timestamptz,
  -- To be indexed anew at this time; null: nothing to do.
  due_at              timestamptz,
  attempts            integer not null default 0,
  error               text
);
create index ix_index_state_due on index_state (due_at) where due_at is not null;
create index ix_index_state_owner on index_state (owner_id);

grant select, insert, update, delete on run, stage, task, file_pipeline_timing to transcription_dispatcher;
grant select, insert, update, delete on index_state to search_indexer;
