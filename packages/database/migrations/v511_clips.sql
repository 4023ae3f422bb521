-- readable-by: v449
-- proof: masked_audio.clip_id, masked_audio.clip, masked_audio.requested_by, uq_masked_audio_clip
-- Media: parts of recordings that a person requested as a file, kept for a day beside the other copies of recordings.

alter table masked_audio
  add column if not exists clip_id uuid,
  -- {kind, start, end, masking} in seconds; what is heard in its masked times.
  add column if not exists clip jsonb,
  add column if not exists requested_by uuid;

create unique index if not exists uq_masked_audio_clip on masked_audio (clip_id) where clip_id is not null;
create index if not exists ix_masked_audio_requester on masked_audio (requested_by) where requested_by is not null;

do $$
begin
  if not exists (
    select 1 from pg_constraint
    where conname = 'masked_audio_mode_check' and pg_get_constraintdef(oid) like '%clip%'
  ) then
    alter table masked_audio drop constraint if exists masked_audio_mode_check;
    alter table masked_audio
      add constraint masked_audio_mode_check check (mode in ('silence', 'beep', 'playback', 'clip')) not valid;
    alter table masked_audio validate constraint masked_audio_mode_check;
  end if;
end
$$;
