-- readable-by: v449
-- proof: speaker_index_version, speaker_index_alias, voice_file
-- search-indexer: versions of the speaker index, and the files whose voices they contain.

create table if not exists speaker_index_version (
  version    text primary key,
  -- building: being filled by a migration; kept: complete. The one of speaker_index_alias is read.
  state      text not null check (state in ('building', 'stopped', 'kept')),
  started_at timestamptz not null default now()
);
-- One row: the version that is read.
create table if not exists speaker_index_alias (
  name        text primary key,
  version     text not null references speaker_index_version (version),
  -- Whether voices may be stored, as last reported by media.
  enabled     boolean not null default false,
  switched_at timestamptz not null default now()
);
insert into speaker_index_version (version, state) values ('v3', 'kept') on conflict do nothing;
insert into speaker_index_alias (name, version) values ('speakers', 'v3') on conflict do nothing;
create table if not exists voice_file (
  file_id     uuid not null,
  version     text not null references speaker_index_version (version) on delete cascade,
  owner_id    uuid not null,
  state       text not null default 'due' check (state in ('due', 'done', 'failed')),
  -- Background work (a migration) waits for new recordings.
  background  boolean not null default false,
  -- What was embedded: the parts that each speaker speaks.
  fingerprint text,
  -- What the current claim embeds.
  claimed     text,
  speakers    integer not null default 0,
  -- Incremented by every claim: the result of an older one is refused.
  token       integer not null default 0,
  attempts    integer not null default 0,
  error       text,
  changed_at  timestamptz not null default now(),
  primary key (file_id, version)
);
create index if not exists ix_voice_file_due on voice_file (background, changed_at) where state = 'due';
create index if not exists ix_voice_file_version on voice_file (version, state);
create index if not exists ix_voice_file_owner on voice_file (owner_id);

grant select, insert, update, delete on speaker_index_version, speaker_index_alias, voice_file to search_indexer;
