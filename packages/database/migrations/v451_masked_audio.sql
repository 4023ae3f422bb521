-- readable-by: v449
-- proof: masked_audio
-- Copies of recordings without their masked parts, for readers who may not reveal them.

create table if not exists masked_audio (
  media_file_id      uuid not null references media_file (uuid) on delete cascade,
  -- SHA-256 of the recording's key, the mode and the masked times.
  variant            text not null,
  mode               text not null check (mode in ('silence', 'beep')),
  -- [[start, end], ...] in seconds.
  ranges             jsonb not null,
  -- Of the transcript when a reader last needed the copy.
  transcript_version integer not null,
  status             text not null default 'queued' check (status in ('queued', 'ready', 'failed')),
  -- Incremented by every attempt, which writes an object of its own.
  token              integer not null default 0,
  object_key         text,
  content_type       text,
  requested_at       timestamptz not null default now(),
  changed_at         timestamptz not null default now(),
  primary key (media_file_id, variant)
);
create index if not exists ix_masked_audio_queued on masked_audio (changed_at) where status = 'queued';

grant select, insert, update, delete on masked_audio to media;
