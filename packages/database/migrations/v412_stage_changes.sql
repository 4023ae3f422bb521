-- readable-by: v410
-- proof: media_file.stage_changed_at
-- Media: time of the latest stage event that the file shows, to recognise one that arrives late.
alter table media_file add column stage_changed_at timestamptz;
