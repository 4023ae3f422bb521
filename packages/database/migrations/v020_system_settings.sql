-- readable-by: v010
-- proof: system_settings
-- Settings as rows: only differences from defaults are stored. Each service reads and writes the keys it owns.
create table system_settings (
  key          text primary key,
  value        jsonb not null,
  updated_at   timestamptz not null default now(),
  updated_by   text
);
grant select, insert, update, delete on system_settings to directory_sync;
