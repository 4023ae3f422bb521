-- readable-by: v449
-- proof: conversation, conversation_share, conversation_message
-- Insights: questions about recordings, and their answers.

create table if not exists conversation (
  uuid       uuid primary key default gen_random_uuid(),
  user_id    uuid not null,
  title      text not null,
  scope      text not null check (scope in ('file', 'collection', 'library')),
  -- The file or the collection.
  scope_uuid uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((scope = 'library') = (scope_uuid is null))
);
create index if not exists ix_conversation_user on conversation (user_id, updated_at desc);

create table if not exists conversation_share (
  uuid            uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references conversation (uuid) on delete cascade,
  user_id         uuid,
  group_id        uuid,
  shared_by       uuid not null,
  created_at      timestamptz not null default now(),
  check ((user_id is null) <> (group_id is null)),
  unique nulls not distinct (conversation_id, user_id, group_id)
);
create index if not exists ix_conversation_share_user on conversation_share (user_id) where user_id is not null;
create index if not exists ix_conversation_share_group on conversation_share (group_id) where group_id is not null;

create table if not exists conversation_message (
  uuid            uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references conversation (uuid) on delete cascade,
  position        integer not null,
  asked_by        uuid not null,
  question        text not null,
  status          text not null check (status in ('answering', 'answered', 'declined', 'failed', 'removed')),
  made_by         text check (made_by in ('model', 'extractive', 'count', 'summary')),
  provider        text,
  model           text,
  sentences       jsonb not null default '[]',
  citations       jsonb not null default '[]',
  -- The recordings that the answer may rest on, also those of earlier answers that were sent along.
  file_ids        uuid[] not null default '{}',
  -- Their owners: a tighter rule for one owner removes the answers.
  owner_ids       uuid[] not null default '{}',
  search_partial  boolean not null default false,
  error_code      text,
  -- Incremented by every attempt: an earlier one cannot store its answer any more.
  attempt         integer not null default 1,
  -- While answering: renewed by the replica that works on it.
  lease_until     timestamptz,
  asked_at        timestamptz not null default now(),
  attempted_at    timestamptz not null default now(),
  answered_at     timestamptz,
  unique (conversation_id, position)
);
create index if not exists ix_conversation_message_files on conversation_message using gin (file_ids);
create index if not exists ix_conversation_message_asked on conversation_message (asked_by, attempted_at);

grant select, insert, update, delete on conversation, conversation_share, conversation_message to insights;
