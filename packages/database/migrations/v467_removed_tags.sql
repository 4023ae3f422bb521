-- readable-by: v449
-- proof: removed_file_tag
-- Media: tags that a person removed from a file. They are not attached to it again automatically.
create table if not exists removed_file_tag (
  media_file_id   uuid not null references media_file (uuid) on delete cascade,
  normalized_name text not null,
  removed_at      timestamptz not null default now(),
  primary key (media_file_id, normalized_name)
);
grant select, insert, update, delete on removed_file_tag to media;
