-- readable-by: v449
-- proof: export_template, export_template_share
-- Media: named sets of export options of a person, and who they are shared with.

create table if not exists export_template (
  uuid          uuid primary key default gen_random_uuid(),
  user_id       uuid not null,
  name          text not null,
  format        text not null,
  options       jsonb not null,
  for_everybody boolean not null default false,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now()
);
create unique index if not exists uq_export_template_name on export_template (user_id, lower(name));
create index if not exists ix_export_template_for_everybody on export_template (name) where for_everybody;

create table if not exists export_template_share (
  uuid        uuid primary key default gen_random_uuid(),
  template_id uuid not null references export_template (uuid) on delete cascade,
  group_id    uuid,
  user_id     uuid,
  permission  text not null check (permission in ('viewer', 'editor')),
  shared_by   uuid not null,
  created_at  timestamptz not null default now(),
  constraint ck_export_template_share_with_one check (num_nonnulls(group_id, user_id) = 1)
);
create unique index if not exists uq_export_template_share_group on export_template_share (template_id, group_id) where group_id is not null;
create unique index if not exists uq_export_template_share_user on export_template_share (template_id, user_id) where user_id is not null;
create index if not exists ix_export_template_share_group on export_template_share (group_id) where group_id is not null;
create index if not exists ix_export_template_share_user on export_template_share (user_id) where user_id is not null;

grant select, insert, update, delete on export_template, export_template_share to media;
