-- readable-by: v381
-- proof: file_share, media_file.access_version, media_membership, search_membership, search_file_access
-- With whom files are shared (media), and what media and search know of memberships and access to answer who may see.

create table file_share (
  uuid           uuid primary key default gen_random_uuid(),
  media_file_id  uuid not null references media_file (uuid) on delete cascade,
  group_id       uuid,
  user_id        uuid,
  permission     text not null constraint ck_file_share_permission check (permission in ('viewer', 'editor')),
  shared_by      uuid not null,
  created_at     timestamptz not null default now(),
  constraint ck_file_share_with_one check (num_nonnulls(group_id, user_id) = 1)
);
create unique index uq_file_share_group on file_share (media_file_id, group_id) where group_id is not null;
create unique index uq_file_share_user on file_share (media_file_id, user_id) where user_id is not null;
create index ix_file_share_group on file_share (group_id) where group_id is not null;
create index ix_file_share_user on file_share (user_id) where user_id is not null;

-- Counts the changes of who may see a file, so that whoever follows them can put them in order.
alter table media_file add column access_version integer not null default 0;
create index ix_media_file_shared on media_file (uuid) where access_version > 0;

-- Projections of identity's memberships: all groups of a person, as of that person's version.
create table media_membership (
  user_id    uuid primary key,
  group_ids  uuid[] not null,
  version    bigint not null
);
create table search_membership (like media_membership including all);

-- Projection of media's shares. A file without a row is its owner's alone.
create table search_file_access (
  file_id    uuid primary key,
  group_ids  uuid[] not null,
  user_ids   uuid[] not null,
  version    integer not null
);
create index ix_search_file_access_groups on search_file_access using gin (group_ids);
create index ix_search_file_access_users on search_file_access using gin (user_ids);

grant select, insert, update, delete on file_share, media_membership to media;
grant select, insert, update, delete on search_membership, search_file_access to search_indexer;
