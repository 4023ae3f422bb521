-- readable-by: v420
-- proof: media_file.recording_removed_at, media_file.last_used_on, legal_hold, retention_settings, retention_rule, retention_run, retention_run_rule, retention_item
-- Media: retention rules delete recordings, and a legal hold keeps them.
alter table media_file
  -- The recording and everything derived from it were deleted; the transcript remains.
  add column if not exists recording_removed_at timestamptz,
  -- Counted by day. Rows of before this migration count from its day, because nothing is known of their use.
  add column if not exists last_used_on date not null default current_date;
create index if not exists ix_media_file_retention on media_file (upload_time) where deleted_at is null;

-- One file, or every file of one owner.
create table if not exists legal_hold (
  uuid          uuid primary key default gen_random_uuid(),
  -- No reference: a hold outlives an attempt to delete its file.
  media_file_id uuid unique,
  user_id       uuid unique,
  reason        text not null,
  -- Null: the administrator's account was erased.
  placed_by     uuid,
  placed_at     timestamptz not null default now(),
  constraint ck_legal_hold_subject check (num_nonnulls(media_file_id, user_id) = 1)
);

create table if not exists retention_settings (
  only_row    boolean primary key default true check (only_row),
  enabled     boolean not null default false,
  schedule    text not null default '0 2 * * *',
  -- Above this share of the library, in one day, a set of files waits for approval.
  max_percent double precision not null default 5 check (max_percent > 0 and max_percent <= 100),
  -- Times of the schedule before this one were served or never due.
  served_until timestamptz not null default now()
);
insert into retention_settings default values on conflict do nothing;

create table if not exists retention_rule (
  uuid       uuid primary key default gen_random_uuid(),
  -- The first rule that applies to a file decides.
  position   integer not null,
  name       text not null,
  enabled    boolean not null default false,
  removes    text not null check (removes in ('recording', 'everything')),
  conditions jsonb not null,
  -- Rises with every change: a planned deletion is valid for one version.
  version    integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table if not exists retention_run (
  uuid        uuid primary key default gen_random_uuid(),
  trigger     text not null check (trigger in ('manual', 'schedule')),
  status      text not null default 'queued' check (status in ('queued', 'running', 'success', 'failed')),
  queued_at   timestamptz not null default now(),
  started_at  timestamptz,
  planned_at  timestamptz,
  finished_at timestamptz,
  -- Files that were not in the bin when the run was planned.
  library_files integer,
  -- The newest token writes; a process whose lease ended has an older one.
  token       integer not null default 0,
  lease_until timestamptz,
  error_code  text
);
create unique index if not exists uq_retention_run_active on retention_run ((true)) where status in ('queued', 'running');
create index if not exists ix_retention_run_queued_at on retention_run (queued_at desc);

-- A rule as it was when the run was planned.
create table if not exists retention_run_rule (
  run_id       uuid not null references retention_run (uuid) on delete cascade,
  rule_id      uuid not null,
  position     integer not null,
  rule_version integer not null,
  name         text not null,
  removes      text not null,
  status       text not null check (status in ('admitted', 'held', 'approved', 'superseded')),
  -- SHA-256 of the planned set.
  set_digest   text not null,
  planned      integer not null,
  planned_bytes bigint not null,
  approved_by  uuid,
  approved_at  timestamptz,
  primary key (run_id, rule_id)
);

create table if not exists retention_item (
  run_id        uuid not null,
  rule_id       uuid not null,
  media_file_id uuid not null,
  bytes         bigint not null,
  outcome       text not null default 'planned' check (outcome in ('planned', 'removed', 'skipped')),
  skip_reason   text,
  decided_at    timestamptz,
  primary key (run_id, media_file_id),
  foreign key (run_id, rule_id) references retention_run_rule (run_id, rule_id) on delete cascade
);
create index if not exists ix_retention_item_planned on retention_item (run_id, rule_id) where outcome = 'planned';
create index if not exists ix_retention_item_removed on retention_item (decided_at) where outcome = 'removed';

-- The last line of defence: whatever a program tries, a held file keeps its row and its recording.
create or replace function refuse_held_file() returns trigger language plpgsql as $$
begin
  if exists (select 1 from legal_hold where media_file_id = old.uuid or user_id = old.user_id) then
    raise exception 'the file % is under a legal hold', old.uuid using errcode = 'OT001';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
drop trigger if exists keep_held_file on media_file;
create trigger keep_held_file before delete on media_file for each row execute function refuse_held_file();
drop trigger if exists keep_held_recording on media_file;
create trigger keep_held_recording before update of deleted_at, recording_removed_at on media_file for each row
  when ((new.deleted_at is not null and old.deleted_at is null)
     or (new.recording_removed_at is not null and old.recording_removed_at is null))
  execute function refuse_held_file();

grant select, insert, update, delete
  on legal_hold, retention_settings, retention_rule, retention_run, retention_run_rule, retention_item to media;
