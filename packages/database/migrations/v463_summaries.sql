-- readable-by: v449
-- proof: insight_summary, insight_section
-- Insights: versions of the summaries of files, and the finished sections of those in progress.
create table if not exists insight_summary (
  uuid               uuid primary key default gen_random_uuid(),
  media_file_id      uuid not null,
  owner_id           uuid not null,
  version            integer not null,
  state              text not null default 'waiting',
  -- the event that ordered it; null: a person
  event_id           text,
  ordered_by         uuid,
  prompt_id          uuid,
  prompt_name        text,
  language           text,
  -- a newer attempt ends the earlier one
  token              integer not null default 0,
  failures           integer not null default 0,
  -- waits until then, and was enqueued then
  due_at             timestamptz not null default now(),
  enqueued_at        timestamptz,
  -- the last sign of an attempt
  touched_at         timestamptz not null default now(),
  sections_done      integer not null default 0,
  sections_total     integer not null default 0,
  error_code         text,
  content            jsonb,
  gaps               jsonb not null default '[]',
  segments           integer not null default 0,
  without_model      boolean not null default false,
  provider           text,
  model              text,
  input_tokens       integer not null default 0,
  output_tokens      integer not null default 0,
  duration_ms        integer not null default 0,
  -- SHA-256 of the passages that it was made of
  fingerprint        text,
  out_of_date        boolean not null default false,
  withheld           boolean not null default false,
  -- the transcript or its masks may have changed
  review_at          timestamptz,
  created_at         timestamptz not null default date_trunc('milliseconds', now()),
  finished_at        timestamptz,
  unique (media_file_id, version),
  unique (media_file_id, event_id)
);
create index if not exists insight_summary_owner on insight_summary (owner_id);
create index if not exists insight_summary_due on insight_summary (due_at) where state in ('waiting', 'processing');
create index if not exists insight_summary_review on insight_summary (review_at) where review_at is not null;
-- One at a time for each file.
create unique index if not exists insight_summary_open on insight_summary (media_file_id)
  where state in ('waiting', 'processing');

create table if not exists insight_section (
  summary_id    uuid not null references insight_summary on delete cascade,
  -- SHA-256 of what was sent
  section_key   text not null,
  result        jsonb not null,
  primary key (summary_id, section_key)
);

grant select, insert, update, delete on insight_summary, insight_section to insights;
