-- readable-by: v449
-- proof: named_version
-- Media: names of states of a transcript. The state itself is computed from the history of its corrections.

create table if not exists named_version (
  uuid           uuid primary key default gen_random_uuid(),
  media_file_id  uuid not null references media_file (uuid) on delete cascade,
  name           text not null,
  -- The last correction that it contains; 0: none.
  revision       int not null,
  -- Null: the account was erased.
  user_id        uuid,
  -- The transcript was replaced since, by a run or an import.
  replaced       boolean not null default false,
  created_at     timestamptz not null default now()
);
create index if not exists ix_named_version_file on named_version (media_file_id, created_at);

grant select, insert, update, delete on named_version to media;
