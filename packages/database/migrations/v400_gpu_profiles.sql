-- readable-by: v399
-- proof: gpu_profile
-- What tasks needed of a GPU's memory (transcription-dispatcher). Outlives the tasks themselves.
create table gpu_profile (
  task_id        uuid not null,
  token          integer not null,
  stage          text not null constraint ck_gpu_profile_stage check (stage in ('transcribe', 'diarize')),
  model          text not null,
  device         text not null,
  worker         text not null,
  -- In use on the device before the task, by whomever, and at most during it.
  baseline_mib   integer not null,
  peak_mib       integer not null,
  audio_seconds  double precision not null,
  recorded_at    timestamptz not null default now(),
  primary key (task_id, token)
);
create index ix_gpu_profile_recorded on gpu_profile (recorded_at desc);

grant select, insert, delete on gpu_profile to transcription_dispatcher;
