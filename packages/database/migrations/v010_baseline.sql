-- readable-by: v010
-- proof: user, refresh_token, password_history, audit_log, media_file, speaker, transcript_segment, tag, file_tag, identity_outbox, media_outbox, transcription_dispatcher_outbox, search_indexer_outbox
-- Accounts and sessions (identity), files and transcripts (media). Every table has one owner.

create extension if not exists pgcrypto;

-- identity ---------------------------------------------------------------------------------------------------------

create table "user" (
  uuid                  uuid primary key default gen_random_uuid(),
  email                 text not null,
  full_name             text not null default '',
  -- null: the account has no password here.
  password_hash         text,
  role                  text not null default 'user' constraint ck_user_role check (role in ('user', 'admin', 'super_admin')),
  auth_type             text not null default 'local' constraint ck_user_auth_type check (auth_type in ('local', 'ldap', 'oidc', 'pki', 'proxy')),
  is_active             boolean not null default true,
  approval_status       text not null default 'approved' constraint ck_user_approval check (approval_status in ('approved', 'pending', 'rejected')),
  allow_local_fallback  boolean not null default false,
  must_change_password  boolean not null default false,
  password_changed_at   timestamptz,
  account_expires_at    timestamptz,
  last_login_at         timestamptz,
  -- Lockout is kept on the account, so every spelling of its name shares one budget.
  failed_logins         integer not null default 0,
  lockouts              integer not null default 0,
  locked_until          timestamptz,
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now()
);
create unique index uq_user_email_ci on "user" (lower(email));

create table refresh_token (
  uuid                 uuid primary key default gen_random_uuid(),
  -- The session: one family of tokens, of which at most one is unspent.
  session_id           uuid not null,
  user_id              uuid not null references "user" (uuid) on delete cascade,
  token_hash           text not null unique,
  created_at           timestamptz not null default now(),
  session_started_at   timestamptz not null default now(),
  expires_at           timestamptz not null,
  absolute_expires_at  timestamptz not null,
  spent_at             timestamptz,
  revoked_at           timestamptz,
  user_agent           text,
  ip_address           text
);
create index ix_refresh_token_session on refresh_token (session_id);
create index ix_refresh_token_user on refresh_token (user_id) where revoked_at is null;

create table password_history (
  uuid           uuid primary key default gen_random_uuid(),
  user_id        uuid not null references "user" (uuid) on delete cascade,
  password_hash  text not null,
  created_at     timestamptz not null default now()
);
create index ix_password_history_user on password_history (user_id, created_at desc);

create table audit_log (
  uuid         uuid primary key default gen_random_uuid(),
  time         timestamptz not null default now(),
  event_type   text not null,
  outcome      text not null check (outcome in ('success', 'failure', 'partial')),
  -- A person's uuid, or the name of what acted (idp_login, directory_sync).
  actor        text,
  user_id      uuid,
  username     text,
  source_ip    text,
  user_agent   text,
  request_id   text,
  error_code   text,
  details      jsonb not null default '{}'
);
create index ix_audit_log_time on audit_log (time desc);
create index ix_audit_log_user on audit_log (user_id, time desc);

-- media ------------------------------------------------------------------------------------------------------------

create table media_file (
  uuid                 uuid primary key default gen_random_uuid(),
  user_id              uuid not null,
  filename             text not null,
  title                text not null,
  object_key           text not null,
  content_type         text not null,
  file_size            bigint not null,
  file_hash            text,
  status               text not null default 'uploaded' constraint ck_media_file_status check (status in (
                         'pending', 'uploaded', 'queued', 'downloading', 'processing', 'transcribing', 'completed',
                         'error', 'cancelling', 'cancelled', 'orphaned', 'quarantined')),
  stage                text,
  waiting_for          text,
  upload_time          timestamptz not null default now(),
  recorded_date        timestamptz,
  completed_at         timestamptz,
  duration             double precision,
  language             text,
  media_info           jsonb,
  waveform_key         text,
  thumbnail_key        text,
  options              jsonb not null default '{}',
  engine               jsonb,
  diarization_provider text,
  -- The run whose results are shown, and the last stage of it that was taken over.
  run_id               uuid,
  run_sequence         integer not null default 0,
  -- When that run was opened: an older run's late event never displaces a newer one.
  run_opened_at        timestamptz,
  transcript_version   integer not null default 0,
  -- The run that made the stored segments; provisional until its speakers are known.
  transcript_run_id    uuid,
  transcript_provisional boolean not null default false,
  warnings             text[] not null default '{}',
  error                jsonb,
  updated_at           timestamptz not null default now()
);
create index ix_media_file_user_time on media_file (user_id, upload_time desc);
create index ix_media_file_user_hash on media_file (user_id, file_hash);
create index ix_media_file_status on media_file (status);

create table speaker (
  uuid           uuid primary key default gen_random_uuid(),
  media_file_id  uuid not null references media_file (uuid) on delete cascade,
  name           text not null,
  display_name   text,
  created_at     timestamptz not null default now(),
  constraint uq_speaker_name unique (media_file_id, name)
);

create table transcript_segment (
  uuid           uuid primary key default gen_random_uuid(),
  media_file_id  uuid not null references media_file (uuid) on delete cascade,
  speaker_id     uuid references speaker (uuid) on delete set null,
  position       integer not null,
  start_time     double precision not null,
  end_time       double precision not null,
  text           text not null,
  confidence     double precision,
  words          jsonb not null default '[]',
  edited         boolean not null default false,
  edited_at      timestamptz,
  version        integer not null default 1,
  constraint uq_transcript_segment_position unique (media_file_id, position) deferrable initially deferred
);
create index ix_transcript_segment_speaker on transcript_segment (speaker_id);

-- Tags belong to their user, so nobody sees another's vocabulary.
create table tag (
  uuid             uuid primary key default gen_random_uuid(),
  user_id          uuid not null,
  name             text not null,
  normalized_name  text not null,
  source           text constraint ck_tag_source check (source in ('manual', 'auto_ai')),
  created_at       timestamptz not null default now(),
  constraint uq_tag_user_name unique (user_id, normalized_name)
);

create table file_tag (
  media_file_id  uuid not null references media_file (uuid) on delete cascade,
  tag_id         uuid not null references tag (uuid) on delete cascade,
  source         text constraint ck_file_tag_source check (source in ('manual', 'auto_ai')),
  created_at     timestamptz not null default now(),
  primary key (media_file_id, tag_id)
);
create index ix_file_tag_tag on file_tag (tag_id);

-- Outboxes: one per service that tells of its changes, written in the transaction of the change. ---------------------

create table identity_outbox (
  id          bigint generated always as identity primary key,
  message_id  uuid not null default gen_random_uuid(),
  subject     text not null,
  data        jsonb not null,
  headers     jsonb not null default '{}',
  created_at  timestamptz not null default now(),
  sent_at     timestamptz
);
create index ix_identity_outbox_unsent on identity_outbox (id) where sent_at is null;
create table media_outbox (like identity_outbox including all);
create table transcription_dispatcher_outbox (like identity_outbox including all);
create table search_indexer_outbox (like identity_outbox including all);

grant select, insert, update, delete on "user", refresh_token, password_history, audit_log, identity_outbox to identity;
grant select, insert, update, delete on media_file, speaker, transcript_segment, tag, file_tag, media_outbox to media;
grant select, insert, update, delete on transcription_dispatcher_outbox to transcription_dispatcher;
grant select, insert, update, delete on search_indexer_outbox to search_indexer;
