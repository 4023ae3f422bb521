-- readable-by: v449
-- proof: transcript_operation
-- Media: every correction of a transcript, with the passages before and after it, for undo, redo and the history.

create table if not exists transcript_operation (
  media_file_id  uuid not null references media_file (uuid) on delete cascade,
  -- Counts the corrections of one transcript.
  revision       int not null,
  -- Chosen by the client: a repeated request is applied once.
  uuid           uuid not null,
  -- Null: the account was erased.
  user_id        uuid,
  kinds          text[] not null,
  before         jsonb not null,
  after          jsonb not null,
  -- The revision that this one undoes or redoes.
  reverts        int,
  -- The revision that undid this one.
  undone_in      int,
  -- The transcript was replaced since, by a run or an import.
  replaced       boolean not null default false,
  created_at     timestamptz not null default now(),
  primary key (media_file_id, revision),
  constraint uq_transcript_operation_uuid unique (media_file_id, uuid)
);
create index if not exists ix_transcript_operation_author on transcript_operation (media_file_id, user_id, revision)
  where reverts is null and not replaced;

grant select, insert, update, delete on transcript_operation to media;
