-- readable-by: v449
-- proof: suggestion_extraction, suggestion, suggestion_section, auto_label_preference, label_run, label_run_item, library_file, library_term
-- Insights: suggested tags, collections and speaker names.

-- One row for each file and part: what was ordered, and how the last attempt ended.
create table if not exists suggestion_extraction (
  media_file_id uuid not null,
  part          text not null check (part in ('labels', 'speakers')),
  owner_id      uuid not null,
  state         text not null default 'waiting'
                check (state in ('none', 'waiting', 'processing', 'completed', 'failed', 'withheld')),
  -- Labels above the threshold are applied when the suggestions are stored.
  applies       boolean not null default false,
  -- The event that ordered it last: a repeated delivery orders nothing.
  event_id      text,
  -- Rises with every attempt: an older one stores nothing.
  token         integer not null default 0,
  -- When it was ordered, enqueued or worked on last.
  touched_at    timestamptz not null default '-infinity',
  transcript_version integer,
  error_code    text,
  -- Null: made without a language model.
  provider      text,
  model         text,
  applied_at    timestamptz,
  created_at    timestamptz not null default now(),
  finished_at   timestamptz,
  primary key (media_file_id, part)
);
create index if not exists ix_suggestion_extraction_open on suggestion_extraction (touched_at)
  where state in ('waiting', 'processing', 'withheld');
create index if not exists ix_suggestion_extraction_owner on suggestion_extraction (owner_id);

create table if not exists suggestion (
  uuid            uuid primary key default gen_random_uuid(),
  media_file_id   uuid not null,
  kind            text not null check (kind in ('tag', 'collection', 'speaker')),
  name            text not null,
  normalized_name text not null,
  speaker_id      uuid,
  confidence      double precision not null,
  -- Words of the transcript; removed when more of the file is masked.
  rationale       text not null,
  segment_id      uuid,
  start_time      double precision,
  -- applying: chosen to be applied, and not yet confirmed by media.
  status          text not null default 'pending'
                  check (status in ('pending', 'applying', 'accepted', 'applied', 'rejected', 'undone')),
  decided_by      uuid,
  decided_at      timestamptz,
  created_at      timestamptz not null default now(),
  constraint ck_suggestion_speaker check ((kind = 'speaker') = (speaker_id is not null)),
  constraint uq_suggestion unique nulls not distinct (media_file_id, kind, normalized_name, speaker_id)
);

-- Finished parts of an extraction, so that one that was interrupted does not ask again.
create table if not exists suggestion_section (
  media_file_id uuid not null,
  part          text not null,
  section_key   text not null,
  result        jsonb not null,
  primary key (media_file_id, part, section_key)
);

create table if not exists auto_label_preference (
  user_id              uuid primary key,
  enabled              boolean,
  confidence_threshold double precision check (confidence_threshold between 0.5 and 1),
  tags_enabled         boolean,
  collections_enabled  boolean
);

create table if not exists label_run (
  uuid        uuid primary key default gen_random_uuid(),
  user_id     uuid not null,
  status      text not null default 'running' check (status in ('running', 'stopped', 'completed')),
  -- All files of the person: the id of the last one that was added; null: they were all added.
  lists_after uuid,
  lists_all   boolean not null default false,
  started_at  timestamptz not null default now(),
  finished_at timestamptz
);
create unique index if not exists uq_label_run_active on label_run (user_id) where status = 'running';
create index if not exists ix_label_run_user on label_run (user_id, started_at desc);

create table if not exists label_run_item (
  run_id        uuid not null references label_run (uuid) on delete cascade,
  media_file_id uuid not null,
  outcome       text not null default 'queued' check (outcome in ('queued', 'working', 'labelled', 'failed', 'skipped')),
  labels        integer not null default 0,
  primary key (run_id, media_file_id)
);
create index if not exists ix_label_run_item_open on label_run_item (media_file_id) where outcome in ('queued', 'working');

-- How many files have a word: a keyphrase is what other files do not have. Words are stored as 32-bit hashes of their stems.
create table if not exists library_file (
  media_file_id uuid primary key,
  terms         integer[] not null
);
create table if not exists library_term (
  term  integer primary key,
  files integer not null
);

grant select, insert, update, delete
  on suggestion_extraction, suggestion, suggestion_section, auto_label_preference, label_run, label_run_item,
     library_file, library_term to insights;
