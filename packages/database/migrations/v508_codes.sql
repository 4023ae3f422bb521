-- readable-by: v449
-- proof: code_list, code_list_share, code, coding
-- Media: lists of codes (labels of qualitative research), who they are shared with, and the passages that have a code.

create table if not exists code_list (
  uuid        uuid primary key default gen_random_uuid(),
  user_id     uuid not null,
  name        text not null,
  description text not null default '',
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now()
);
create unique index if not exists uq_code_list_name on code_list (user_id, lower(name));

create table if not exists code_list_share (
  uuid         uuid primary key default gen_random_uuid(),
  code_list_id uuid not null references code_list (uuid) on delete cascade,
  group_id     uuid,
  user_id      uuid,
  permission   text not null check (permission in ('viewer', 'editor')),
  shared_by    uuid not null,
  created_at   timestamptz not null default now(),
  constraint ck_code_list_share_with_one check (num_nonnulls(group_id, user_id) = 1)
);
create unique index if not exists uq_code_list_share_group on code_list_share (code_list_id, group_id) where group_id is not null;
create unique index if not exists uq_code_list_share_user on code_list_share (code_list_id, user_id) where user_id is not null;
create index if not exists ix_code_list_share_group on code_list_share (group_id) where group_id is not null;
create index if not exists ix_code_list_share_user on code_list_share (user_id) where user_id is not null;

create table if not exists code (
  uuid         uuid primary key default gen_random_uuid(),
  code_list_id uuid not null references code_list (uuid) on delete cascade,
  -- One level: a parent has no parent.
  parent_id    uuid references code (uuid) on delete cascade,
  name         text not null,
  color        text not null,
  description  text not null default '',
  created_at   timestamptz not null default now()
);
create unique index if not exists uq_code_name on code (code_list_id, lower(name));
create index if not exists ix_code_parent on code (parent_id) where parent_id is not null;

create table if not exists coding (
  uuid          uuid primary key default gen_random_uuid(),
  code_id       uuid not null references code (uuid) on delete cascade,
  media_file_id uuid not null references media_file (uuid) on delete cascade,
  -- The place in milliseconds of the recording, as of a comment.
  start_ms      int not null,
  end_ms        int not null,
  -- Null: the account was erased.
  author_id     uuid,
  created_at    timestamptz not null default now(),
  constraint ck_coding_place check (end_ms > start_ms)
);
-- A person gives a code to a place once.
create unique index if not exists uq_coding_place on coding (code_id, media_file_id, start_ms, end_ms, author_id);
create index if not exists ix_coding_file on coding (media_file_id, start_ms);
create index if not exists ix_coding_author on coding (author_id);

grant select, insert, update, delete on code_list, code_list_share, code, coding to media;
