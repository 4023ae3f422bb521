-- readable-by: v449
-- proof: transcript_accuracy
-- Media: how many words of an automatic transcript people have corrected. Numbers only, no text.

create table if not exists transcript_accuracy (
  media_file_id   uuid not null references media_file (uuid) on delete cascade,
  -- The run that made the automatic transcript.
  run_id          uuid not null,
  provider        text not null,
  model           text not null,
  language        text,
  -- When the run completed.
  transcribed_at  timestamptz not null,
  -- Of the corrected transcript; null until they are counted.
  words           int,
  errors          int,
  measured_at     timestamptz,
  -- The transcript was edited since: the words are counted at this time.
  due_at          timestamptz,
  primary key (media_file_id, run_id)
);
create index if not exists ix_transcript_accuracy_due on transcript_accuracy (due_at) where due_at is not null;

grant select, insert, update, delete on transcript_accuracy to media;
