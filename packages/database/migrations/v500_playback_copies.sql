-- readable-by: v449
-- proof: masked_audio.bytes
-- Media: copies of recordings in a format that browsers play, beside those without their masked parts; size of copies.

alter table masked_audio add column if not exists bytes bigint;

do $$
begin
  if not exists (
    select 1 from pg_constraint
    where conname = 'masked_audio_mode_check' and pg_get_constraintdef(oid) like '%playback%'
  ) then
    alter table masked_audio drop constraint if exists masked_audio_mode_check;
    alter table masked_audio
      add constraint masked_audio_mode_check check (mode in ('silence', 'beep', 'playback')) not valid;
    alter table masked_audio validate constraint masked_audio_mode_check;
  end if;
end
$$;
