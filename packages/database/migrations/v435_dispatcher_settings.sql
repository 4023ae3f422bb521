-- readable-by: v410
-- proof: dispatcher_settings
-- Settings that administrators store for engines and their providers (transcription-dispatcher).
create table if not exists dispatcher_settings (
  key        text primary key,
  -- A secret is {"key_id", "text"}, sealed with ENCRYPTION_KEY.
  value      jsonb not null,
  updated_at timestamptz not null default now(),
  updated_by text
);

grant select, insert, update, delete on dispatcher_settings to transcription_dispatcher;
