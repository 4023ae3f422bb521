-- readable-by: v410 (older code shows and processes recordings that are in the bin)
-- proof: media_file.deleted_at, transcript_segment.edited_by, transcript_change
-- Media: deleted recordings wait in a bin, changes of a transcript can be undone, and files say more of themselves.

alter table media_file
  -- In the bin since then; null: not deleted.
  add column deleted_at timestamptz,
  add column deleted_by uuid,
  -- The engine found no words in the recording.
  add column no_speech  boolean not null default false,
  -- The stage in `stage` has ended; the run waits for a worker of the next one.
  add column stage_done boolean not null default false;
create index ix_media_file_bin on media_file (deleted_at) where deleted_at is not null;

alter table transcript_segment add column edited_by uuid;

-- Changes of a transcript, kept for a day with what they replaced. A new transcript of the file removes them.
create table transcript_change (
  uuid           uuid primary key default gen_random_uuid(),
  media_file_id  uuid not null references media_file (uuid) on delete cascade,
  user_id        uuid not null,
  kind           text not null constraint ck_transcript_change_kind check (kind in (
                   'segment_edited', 'segment_deleted', 'speaker_merged', 'speaker_deleted')),
  before         jsonb not null,
  created_at     timestamptz not null default now(),
  undone_at      timestamptz
);
create index ix_transcript_change_file on transcript_change (media_file_id);
create index ix_transcript_change_created on transcript_change (created_at);

grant select, insert, update, delete on transcript_change to media;
