-- readable-by: v410
-- proof: restore_record
-- When the database was restored from a backup. The restore tool writes it, so that identity keeps directory accounts
-- out until directory-sync has read the directory again, and media keeps objects whose rows the backup does not have.
create table if not exists restore_record (
  uuid                  uuid primary key default gen_random_uuid(),
  restored_at           timestamptz not null default now(),
  backup_name           text not null,
  -- null: directory accounts may not sign in yet.
  directory_checked_at  timestamptz
);
grant select on restore_record to identity, media;
grant select, update (directory_checked_at) on restore_record to directory_sync;
