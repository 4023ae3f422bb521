-- readable-by: v399 (older code counts a superseded task as the stage of its run, and does not know the reason `paused`)
-- proof: task.superseded, worker_seen, media_file.run_turned_at
-- Dead jobs, workers that were seen, and runs that are taken up again (transcription-dispatcher); what a file heard of
-- its run last (media).

-- A dead job that nobody wants any more stays as history.
alter table task add column discarded_at timestamptz;
-- A run that is taken up again does its later stages anew; their earlier tasks stay for its timeline.
alter table task add column superseded boolean not null default false;
drop index uq_task_run_stage;
create unique index uq_task_run_stage on task (run_id, stage) where run_id is not null and not superseded;
create index ix_task_dead on task (queue, stage, error_code) 
  where status = 'failed' and discarded_at is null and not superseded;
create index ix_task_finished on task (coalesce(completed_at, created_at))
  where status in ('completed', 'failed', 'cancelled');
create index ix_task_created on task (created_at desc, uuid desc);

-- Paused by an administrator is a reason to wait, too.
alter table run drop constraint run_waiting_for_check;
alter table run add constraint run_waiting_for_check check (waiting_for in ('engine', 'worker', 'paused'));

-- Every worker heard of lately. The broker's bucket forgets them sooner than people want to look.
create table worker_seen (
  id            text primary key,
  service       text not null,
  pulls         text[] not null,
  engine        jsonb,
  engine_note   text,
  first_seen_at timestamptz not null default now(),
  last_seen_at  timestamptz not null default now()
);
grant select, insert, update, delete on worker_seen to transcription_dispatcher;

-- When the run that a file shows ended or was taken up again, by the event that told of it: an event from before that
-- is history, whichever arrives first.
alter table media_file add column run_turned_at timestamptz;
