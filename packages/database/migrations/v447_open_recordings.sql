-- readable-by: v410
-- proof: open_upload.length_deferred, open_upload.active_at
-- Media: a recording is uploaded while it is made, so its length is not known before its end.
alter table open_upload
  add column if not exists length_deferred boolean not null default false,
  -- The last request of the sender. After a time without one the recording counts as interrupted.
  add column if not exists active_at       timestamptz not null default now();
create index if not exists ix_open_upload_deferred on open_upload (active_at) where length_deferred;
