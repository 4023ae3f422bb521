-- readable-by: v449
-- proof: llm_provider, llm_request, llm_usage
-- Insights: language models of everyone and of single people, their requests in progress, and used tokens.
create table if not exists llm_provider (
  uuid            uuid primary key default gen_random_uuid(),
  -- null: for everyone
  owner_id        uuid,
  name            text not null,
  kind            text not null,
  base_url        text not null,
  model           text not null,
  -- as entered, and as the server reports it
  context_tokens  integer,
  asked_tokens    integer,
  max_parallel    integer not null,
  timeout_seconds integer not null,
  -- {"key_id", "text"}, sealed with ENCRYPTION_KEY
  api_key         jsonb,
  is_active       boolean not null default false,
  tested_at       timestamptz,
  test_ok         boolean,
  test_message    text,
  -- consecutive failures; requests wait until paused_until
  failures        integer not null default 0,
  paused_until    timestamptz,
  pause_code      text,
  created_at      timestamptz not null default date_trunc('milliseconds', now()),
  updated_at      timestamptz not null default date_trunc('milliseconds', now())
);
create unique index if not exists llm_provider_name on llm_provider (owner_id, lower(name)) nulls not distinct;
create unique index if not exists llm_provider_active on llm_provider (owner_id) nulls not distinct where is_active;

-- A row for each request in progress, of all replicas.
create table if not exists llm_request (
  uuid        uuid primary key,
  provider_id uuid not null references llm_provider on delete cascade,
  file_id     uuid,
  -- renewed while the request runs
  expires_at  timestamptz not null
);
create index if not exists llm_request_provider on llm_request (provider_id);
create index if not exists llm_request_file on llm_request (file_id);

create table if not exists llm_usage (
  day           date not null,
  user_id       uuid,
  file_id       uuid,
  -- names, because a provider may be removed
  provider      text not null,
  model         text not null,
  purpose       text not null,
  requests      integer not null default 0,
  input_tokens  bigint not null default 0,
  output_tokens bigint not null default 0
);
create unique index if not exists llm_usage_row on llm_usage (day, user_id, file_id, provider, model, purpose)
  nulls not distinct;
create index if not exists llm_usage_user on llm_usage (user_id);

grant select, insert, update, delete on llm_provider, llm_request, llm_usage to insights;
