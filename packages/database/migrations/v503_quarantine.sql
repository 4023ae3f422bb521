-- readable-by: v449
-- proof: media_file.quarantined_at, media_file.quarantine_reason, media_file.quarantined_status
-- Media: an administrator puts files in quarantine, with a reason. Rows of earlier releases may have the status without these.
alter table media_file
  add column if not exists quarantined_at timestamptz,
  add column if not exists quarantine_reason text,
  -- The status before, which a release restores.
  add column if not exists quarantined_status text;
