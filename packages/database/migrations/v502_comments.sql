-- readable-by: v449
-- proof: transcript_comment
-- Media: highlights in transcripts, comments at a place of the recording, and their replies.

create table if not exists transcript_comment (
  uuid           uuid primary key default gen_random_uuid(),
  media_file_id  uuid not null references media_file (uuid) on delete cascade,
  -- Null: this row begins a thread.
  thread_id      uuid references transcript_comment (uuid) on delete cascade,
  -- The place of a thread in milliseconds of the recording: it stays true when the text is corrected or transcribed again.
  start_ms       int,
  end_ms         int,
  -- Of a highlight.
  color          text,
  -- Empty: a highlight without a comment, or a comment of an account that was erased.
  body           text not null default '',
  -- Null: the account was erased.
  author_id      uuid,
  mentions       uuid[] not null default '{}',
  -- What the rules of redaction found in the body, and of which text, rules and names.
  redactions     jsonb not null default '[]',
  redaction_key  text,
  created_at     timestamptz not null default now(),
  edited_at      timestamptz,
  resolved_at    timestamptz,
  resolved_by    uuid,
  constraint ck_transcript_comment_place check (
    (thread_id is null) = (start_ms is not null) and (start_ms is null) = (end_ms is null) and end_ms >= start_ms)
);
create index if not exists ix_transcript_comment_file on transcript_comment (media_file_id, start_ms);
create index if not exists ix_transcript_comment_thread on transcript_comment (thread_id) where thread_id is not null;
create index if not exists ix_transcript_comment_author on transcript_comment (author_id);

grant select, insert, update, delete on transcript_comment to media;
