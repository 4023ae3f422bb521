-- readable-by: v010
-- proof: auth_config, auth_config_audit
-- Sign-in settings: only differences from the environment and the defaults are stored (identity).
create table auth_config (
  uuid          uuid primary key default gen_random_uuid(),
  config_key    text not null constraint uq_auth_config_key unique,
  category      text not null,
  -- Plain JSON, or for a sensitive key the base64 of nonce, ciphertext and tag (AES-256-GCM, the key's name as associated data).
  config_value  jsonb not null,
  is_sensitive  boolean not null default false,
  -- Which encryption key a sensitive value was sealed with.
  key_id        text,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  updated_by    uuid,
  constraint ck_auth_config_sealed check (is_sensitive = (key_id is not null))
);
create table auth_config_audit (
  uuid         uuid primary key default gen_random_uuid(),
  config_key   text not null,
  category     text not null,
  -- Masked for a sensitive key.
  old_value    jsonb,
  new_value    jsonb,
  change_type  text not null constraint ck_auth_config_audit_type check (change_type in ('create', 'update', 'delete')),
  changed_by   uuid,
  ip_address   text,
  user_agent   text,
  created_at   timestamptz not null default now()
);
create index ix_auth_config_audit_category on auth_config_audit (category, created_at desc);

grant select, insert, update, delete on auth_config, auth_config_audit to identity;
