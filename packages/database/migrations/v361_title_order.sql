-- readable-by: v010
-- proof: media_file.title collate und-x-icu
-- Titles sort as people expect, in every script and whatever the cluster's own locale is.
alter table media_file alter column title type text collate "und-x-icu";
