-- readable-by: v410
-- proof: none
-- Media: an import of a transcript is one more change that can be undone.
do $$
begin
  if not exists (
    select 1 from pg_constraint
    where conname = 'ck_transcript_change_kind' and pg_get_constraintdef(oid) like '%transcript_imported%'
  ) then
    alter table transcript_change drop constraint if exists ck_transcript_change_kind;
    alter table transcript_change add constraint ck_transcript_change_kind check (kind in (
      'segment_edited', 'segment_deleted', 'speaker_merged', 'speaker_deleted', 'transcript_imported'));
  end if;
end
$$;
