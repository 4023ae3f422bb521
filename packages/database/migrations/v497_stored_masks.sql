-- readable-by: v449
-- proof: insight_summary.masks, suggestion.masks, conversation_message.masks
-- Insights: what was masked in the text that something was made of. It is hidden as soon as more is masked.

-- Kinds of personal data, e.g. ["phone"]. Null: made by a release without this column; only the event of media hides it.
alter table insight_summary add column if not exists masks jsonb;
alter table suggestion add column if not exists masks jsonb;
-- By recording, e.g. {"<uuid>": ["phone"]}.
alter table conversation_message add column if not exists masks jsonb not null default '{}';
-- Those that were made before are compared with their transcripts once.
create index if not exists ix_insight_summary_masks on insight_summary (media_file_id) where masks is null;
