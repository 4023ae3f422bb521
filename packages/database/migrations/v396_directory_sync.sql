-- readable-by: v381
-- proof: directory_pass, directory_decision, directory_lease
-- Passes of the directory sweep, what they decided about whom and why, and who may run one (directory-sync).
create table directory_pass (
  uuid          uuid primary key,
  status        text not null default 'running' constraint ck_directory_pass_status check (status in
                  ('running', 'ok', 'held', 'directory_unavailable', 'disabled', 'failed')),
  trigger       text not null constraint ck_directory_pass_trigger check (trigger in ('schedule', 'manual', 'approval')),
  dry_run       boolean not null,
  -- The report as it is shown; complete once finished.
  report        jsonb,
  set_digest    text,
  -- Names whose set of leavers an approval meant.
  approves      uuid references directory_pass (uuid),
  approved_by   uuid,
  approved_at   timestamptz,
  started_at    timestamptz not null default now(),
  finished_at   timestamptz
);
create index ix_directory_pass_started on directory_pass (started_at desc);

-- Only what a pass would move or moved: an account that stays as it is leaves no row.
create table directory_decision (
  pass_id    uuid not null references directory_pass (uuid) on delete cascade,
  user_id    uuid not null,
  email      text not null,
  ldap_uid   text,
  -- leaver or change; what became of it.
  decision   text not null constraint ck_directory_decision check (decision in ('leaver', 'change', 'returned')),
  reason     text,
  outcome    text not null,
  evidence   jsonb not null default '{}',
  change     jsonb not null default '{}',
  decided_at timestamptz not null default now(),
  primary key (pass_id, user_id)
);
create index ix_directory_decision_user on directory_decision (user_id, decided_at desc);

-- Whoever holds it may sweep; every taking gives a larger token, and a holder that is not heard of any more loses it.
create table directory_lease (
  name     text primary key,
  token    bigint not null default 0,
  holder   text,
  until    timestamptz not null default now()
);
insert into directory_lease (name) values ('sweep');

grant select, insert, update, delete on directory_pass, directory_decision, directory_lease to directory_sync;
