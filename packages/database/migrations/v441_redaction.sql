-- readable-by: v410
-- proof: redaction_policy, redaction_preference, media_file.redaction_kinds, transcript_segment.redactions
-- Redaction: what was found in a transcript, and what is masked in it.

alter table transcript_segment
  -- [{"id", "kind", "start", "end"}]: characters of `text`. `kept`: found in an earlier text of the passage.
  add column if not exists redactions    jsonb not null default '[]',
  -- `<detector>:<md5 of text>` of the scan; another value means that this text was not scanned.
  add column if not exists redaction_key text;

alter table media_file
  -- The owner's choice, in addition to the policy.
  add column if not exists redaction_kinds        text[] not null default '{}',
  -- The transcript version whose text was scanned.
  add column if not exists redaction_version      integer,
  add column if not exists redaction_detector     text,
  -- The part of the passages that was scanned, from 0 to 1.
  add column if not exists redaction_coverage     double precision,
  add column if not exists redaction_error        text,
  add column if not exists redaction_scanned_at   timestamptz,
  -- The version of the policy that readers and search were notified of; -1: the owner's choice has changed since.
  add column if not exists redaction_mask_version integer not null default 0;
create index if not exists ix_media_file_unscanned on media_file (uuid)
  where transcript_version > 0 and redaction_version is distinct from transcript_version;
create index if not exists ix_media_file_mask_version on media_file (redaction_mask_version) where transcript_version > 0;

-- At most one row; none: nothing is masked.
create table if not exists redaction_policy (
  id         boolean primary key default true check (id),
  policy     jsonb not null,
  version    integer not null default 1,
  updated_at timestamptz not null default now(),
  updated_by uuid
);
create table if not exists redaction_preference (
  user_id uuid primary key,
  kinds   text[] not null
);

grant select, insert, update, delete on redaction_policy, redaction_preference to media;
