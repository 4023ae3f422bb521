-- readable-by: v010
-- proof: user_group, user_group_member, group_mapping, group_mapping_version, user.membership_version
-- Groups of people, who is in them and why, and what an identity provider's claims lead to (identity).
create table user_group (
  uuid         uuid primary key default gen_random_uuid(),
  name         text not null constraint ck_user_group_name check (length(name) between 1 and 200),
  description  text not null default '',
  created_by   uuid,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now()
);
create unique index uq_user_group_name_ci on user_group (lower(name));

create table user_group_member (
  group_id  uuid not null references user_group (uuid) on delete cascade,
  user_id   uuid not null references "user" (uuid) on delete cascade,
  -- What the member may do with the group itself.
  role      text not null default 'member' constraint ck_user_group_member_role check (role in ('member', 'manager')),
  -- 'manual': made by a person, never removed or converted by reconciliation; else the directory that made it.
  source    text not null default 'manual'
            constraint ck_user_group_member_source check (source in ('manual', 'ldap', 'oidc', 'proxy')),
  added_by  uuid,
  added_at  timestamptz not null default now(),
  primary key (group_id, user_id)
);
create index ix_user_group_member_user on user_group_member (user_id);

create table group_mapping (
  uuid         uuid primary key default gen_random_uuid(),
  source       text not null constraint ck_group_mapping_source_valid check (source in ('ldap', 'oidc', 'proxy')),
  claim_value  text not null constraint ck_group_mapping_claim_length check (length(claim_value) between 1 and 1024),
  group_id     uuid references user_group (uuid),
  grants_role  text constraint ck_group_mapping_role_capped check (grants_role in ('user', 'admin')),
  description  text,
  created_by   uuid,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  constraint ck_group_mapping_grants_something check (group_id is not null or grants_role is not null)
);
-- Over a digest: 1024 characters of a non-Latin script are more than an index row can hold. The lower case is that of
-- Unicode, whatever the locale of the cluster, and so the one the resolver compares with.
create unique index uq_group_mapping_source_claim on group_mapping (source, md5(claim_value));
create unique index uq_group_mapping_ldap_claim_ci
  on group_mapping (md5(lower(claim_value collate "und-x-icu"))) where source = 'ldap';
create index ix_group_mapping_group on group_mapping (group_id);

-- Names the state that the mappings of a source are in: replicas keep mappings in memory for as long as it stays. A
-- source without a row never had a mapping, and its passes do nothing; one whose last mapping was deleted has a row.
create table group_mapping_version (
  source   text primary key,
  version  uuid not null
);
create function name_group_mapping_state() returns trigger language plpgsql as $$
begin
  insert into group_mapping_version (source, version)
    select source, gen_random_uuid() from changed group by source order by source
    on conflict (source) do update set version = excluded.version;
  return null;
end $$;
create trigger tr_group_mapping_inserted after insert on group_mapping referencing new table as changed
  for each statement execute function name_group_mapping_state();
create trigger tr_group_mapping_updated after update on group_mapping referencing new table as changed
  for each statement execute function name_group_mapping_state();
create trigger tr_group_mapping_deleted after delete on group_mapping referencing old table as changed
  for each statement execute function name_group_mapping_state();

-- Counts changes of a user's memberships, so that followers can tell old news from new.
alter table "user" add column membership_version integer not null default 0;

grant select, insert, update, delete on user_group, user_group_member, group_mapping, group_mapping_version to identity;
