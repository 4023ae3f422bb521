-- readable-by: v449
-- proof: collection, collection_member, collection_share, access_change, file_grant
-- Media: collections of files. Shares of a collection give its owner's files to others.
create table if not exists collection (
  uuid        uuid primary key default gen_random_uuid(),
  user_id     uuid not null,
  name        text not null,
  description text not null default '',
  source      text not null default 'manual' check (source in ('manual', 'auto_ai', 'bulk_group')),
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now()
);
create unique index if not exists uq_collection_name on collection (user_id, lower(name));

create table if not exists collection_member (
  collection_id uuid not null references collection (uuid) on delete cascade,
  media_file_id uuid not null references media_file (uuid) on delete cascade,
  source        text not null default 'manual' check (source in ('manual', 'auto_ai', 'bulk_group')),
  -- The person who chose to add the file; null: not chosen by a person, or the account was erased.
  added_by      uuid,
  added_at      timestamptz not null default now(),
  primary key (collection_id, media_file_id)
);
create index if not exists ix_collection_member_file on collection_member (media_file_id);

create table if not exists collection_share (
  uuid          uuid primary key default gen_random_uuid(),
  collection_id uuid not null references collection (uuid) on delete cascade,
  group_id      uuid,
  user_id       uuid,
  permission    text not null check (permission in ('viewer', 'editor')),
  shared_by     uuid not null,
  created_at    timestamptz not null default now(),
  constraint ck_collection_share_with_one check (num_nonnulls(group_id, user_id) = 1)
);
create unique index if not exists uq_collection_share_group on collection_share (collection_id, group_id) where group_id is not null;
create unique index if not exists uq_collection_share_user on collection_share (collection_id, user_id) where user_id is not null;
create index if not exists ix_collection_share_group on collection_share (group_id) where group_id is not null;
create index if not exists ix_collection_share_user on collection_share (user_id) where user_id is not null;

-- Files whose access list may have changed and is to be published. A file may stand here repeatedly: a row is deleted only
-- by the transaction that has read it.
create table if not exists access_change (
  id            bigint generated always as identity primary key,
  media_file_id uuid not null
);

-- Everything that gives a file to others. A collection gives only files of its owner that the owner added: no reader passes
-- on a file of another person by adding it to a collection.
create or replace view file_grant as
  select uuid as share_id, media_file_id, group_id, user_id, permission from file_share
  union all
  select s.uuid, m.media_file_id, s.group_id, s.user_id, s.permission
  from collection_share s
  join collection c on c.uuid = s.collection_id
  join collection_member m on m.collection_id = c.uuid and m.added_by = c.user_id
  join media_file f on f.uuid = m.media_file_id and f.user_id = c.user_id;

grant select, insert, update, delete on collection, collection_member, collection_share, access_change to media;
grant select on file_grant to media;
