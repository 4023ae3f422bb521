-- readable-by: v449
-- proof: saved_search, search_reindex, search_reindex_file
-- Search: saved searches of people, and what is indexed again on request.

create table if not exists saved_search (
  uuid       uuid primary key default gen_random_uuid(),
  user_id    uuid not null,
  name       text not null,
  search     jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index if not exists ux_saved_search_name on saved_search (user_id, lower(name));

create table if not exists search_reindex (
  uuid        uuid primary key default gen_random_uuid(),
  scope       text not null check (scope in ('all', 'user', 'files', 'repair')),
  -- stopping: requested, not finished yet.
  state       text not null default 'running' check (state in ('running', 'stopping', 'stopped', 'completed')),
  -- Required: the index was lost or its model has changed. It cannot be stopped.
  required    boolean not null default false,
  -- Of the new index, for `all`; the others have rows in search_reindex_file.
  build       text,
  failed      integer not null default 0,
  total       integer not null default 0,
  indexed     integer not null default 0,
  started_at  timestamptz not null default now(),
  finished_at timestamptz
);
-- One at a time.
create unique index if not exists ux_search_reindex_active on search_reindex ((true)) where state in ('running', 'stopping');
create index if not exists ix_search_reindex_started on search_reindex (started_at);

create table if not exists search_reindex_file (
  reindex_id uuid not null references search_reindex (uuid) on delete cascade,
  file_id    uuid not null,
  state      text not null default 'due' check (state in ('due', 'done', 'failed')),
  changed_at timestamptz not null default now(),
  primary key (reindex_id, file_id)
);
create index if not exists ix_search_reindex_file_state on search_reindex_file (reindex_id, state, changed_at);

grant select, insert, update, delete on saved_search, search_reindex, search_reindex_file to search_indexer;
