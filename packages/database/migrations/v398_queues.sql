-- readable-by: v381
-- proof: task.durable, run.priority, task_attempt, queue_pause
-- The order in which waiting tasks are handed out, every try of each, and queues that an operator holds
-- (transcription-dispatcher).
alter table task
  -- The broker's durable whose tickets it waits for; made as the contracts name durables.
  add column durable       text not null generated always as (queue || '-' || split_part(subject, '.', 3)) stored,
  -- 0 people wait for it, 1 as usual, 2 in the background; waiting brings it down.
  add column priority      smallint not null default 1 constraint ck_task_priority check (priority between 0 and 2),
  -- Its place among tasks of one durable and priority, in seconds of work; 0 is the front.
  add column rank          double precision not null default 0,
  -- Expected seconds of work: those of its audio where they are known.
  add column cost_s        double precision not null default 0,
  -- Short enough for the slot that long tasks are kept from.
  add column express       boolean not null default false,
  -- Since when it waits at this priority.
  add column waiting_since timestamptz not null default now(),
  -- The question that was answered with it, so that one asked twice has one answer.
  add column claim_id      uuid;

-- What its tasks begin with.
alter table run
  add column priority smallint not null default 1 constraint ck_run_priority check (priority between 0 and 2);

drop index ix_task_open;
create index ix_task_waiting on task (durable, priority, rank) where status = 'pending' and next_attempt_at is null;
create index ix_task_express on task (durable, priority, rank)
  where status = 'pending' and next_attempt_at is null and express;
create index ix_task_due on task (next_attempt_at) where status = 'pending' and next_attempt_at is not null;
create index ix_task_ageing on task (waiting_since) where status = 'pending' and priority > 0;
create index ix_task_running on task (durable, owner_id) where status = 'in_progress';
create unique index uq_task_claim on task (claim_id) where status = 'in_progress';
create index ix_task_share on task (durable, owner_id, priority, rank) where status in ('pending', 'in_progress');

-- Every try of a task: who had it, from when to when, and what became of it.
create table task_attempt (
  task_id        uuid not null references task (uuid) on delete cascade,
  token          integer not null,
  attempt        integer not null,
  worker         text not null,
  claimed_at     timestamptz not null default now(),
  ended_at       timestamptz,
  outcome        text not null default 'running' constraint ck_task_attempt_outcome check (outcome in
                   ('running', 'completed', 'failed', 'released', 'lost', 'cancelled')),
  error_code     text,
  error_message  text,
  primary key (task_id, token)
);
create index ix_task_attempt_claimed on task_attempt (claimed_at desc);

-- Nothing new is begun in a queue that stands here.
create table queue_pause (
  queue      text primary key,
  reason     text not null,
  paused_by  uuid not null,
  paused_at  timestamptz not null default now()
);

grant select, insert, update, delete on task_attempt, queue_pause to transcription_dispatcher;
