-- readable-by: v410
-- proof: open_upload
-- Media: resumable uploads that are not finished, with the room that is reserved for them.
create table open_upload (
  uuid        uuid primary key,
  user_id     uuid not null,
  bytes       bigint not null,
  received    bigint not null default 0,
  created_at  timestamptz not null default now()
);
create index ix_open_upload_user on open_upload (user_id);
create index ix_open_upload_created on open_upload (created_at);

grant select, insert, update, delete on open_upload to media;
