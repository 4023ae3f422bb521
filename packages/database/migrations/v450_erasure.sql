-- readable-by: v449
-- proof: erasure, erasure_report, media_erasure, directory_sync_outbox
-- Identity: the ledger of erased persons. It holds no personal data once an erasure is done, and survives a restore:
-- packages/backup creates these tables in a backup that lacks them.
create table if not exists erasure (
  uuid         uuid primary key default gen_random_uuid(),
  status       text not null default 'running' check (status in ('running', 'held', 'done')),
  round        integer not null default 1,
  -- The account while services still have data of it.
  user_id      uuid,
  key_id       text not null,
  subject_hash text not null,
  address_hash text not null,
  ordered_by   uuid not null,
  ordered_at   timestamptz not null default now(),
  sent_at      timestamptz not null default now(),
  finished_at  timestamptz,
  constraint ck_erasure_done check ((status = 'done') = (user_id is null))
);
create unique index if not exists uq_erasure_user on erasure (user_id) where user_id is not null;
create index if not exists ix_erasure_subject on erasure (subject_hash);
create index if not exists ix_erasure_address on erasure (address_hash);

-- The answers of the services, by the id of their event, so that one delivered twice counts once.
create table if not exists erasure_report (
  uuid          uuid primary key,
  erasure_id    uuid not null references erasure (uuid),
  round         integer not null,
  service       text not null,
  counts        jsonb not null default '{}',
  object_hashes text[] not null default '{}',
  held          integer not null default 0,
  complete      boolean not null,
  reported_at   timestamptz not null default now()
);
create index if not exists ix_erasure_report_erasure on erasure_report (erasure_id, round);

-- Append-only for the service, like the audit log: rows are added, and only the state of an erasure changes.
grant select, insert on erasure, erasure_report to identity;
grant update (status, round, user_id, sent_at, finished_at) on erasure to identity;

-- Audit records are append-only. This removes from them what names an erased person, and leaves what happened and when.
create or replace function anonymise_audit_records(person uuid, address text) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed integer;
begin
  if not exists (select 1 from public.erasure where user_id = person) then
    raise exception 'there is no erasure of this account';
  end if;
  update public.audit_log set username = null, details = '{"erased": true}',
    -- Of an administrator who acted on the account they stay.
    source_ip = case when actor is null or actor = person::text then null else source_ip end,
    user_agent = case when actor is null or actor = person::text then null else user_agent end
  where (user_id = person or actor = person::text or (address <> '' and lower(username) = lower(address)))
    and details is distinct from '{"erased": true}'::jsonb;
  get diagnostics changed = row_count;
  update public.auth_config_audit set ip_address = null, user_agent = null where changed_by = person;
  return changed;
end $$;
revoke all on function anonymise_audit_records(uuid, text) from public;
grant execute on function anonymise_audit_records(uuid, text) to identity;

-- Orders that media works on. A finished one is kept for a day, for an upload that was on its way.
create table if not exists media_erasure (
  erasure_id  uuid primary key,
  round       integer not null,
  user_id     uuid not null,
  -- Null: files are left, or the order was sent again.
  finished_at timestamptz
);
grant select, insert, update, delete on media_erasure to media;

create table if not exists directory_sync_outbox (like identity_outbox including all);
grant select, insert, update, delete on directory_sync_outbox to directory_sync;
