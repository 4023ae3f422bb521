-- readable-by: v410
-- proof: media_import, media_file.source_url
-- Media: recordings that are imported from an address. A file whose recording was not downloaded yet has an empty object_key.
alter table media_file add column if not exists source_url text;

-- A row outlives its file by an hour: deleting files must not reset the limit per hour.
create table if not exists media_import (
  media_file_id   uuid primary key,
  user_id         uuid not null,
  url             text not null,
  -- The upload options as the user gave them.
  options         jsonb not null default '{}',
  -- Where the request came from, for the audit trail.
  client          jsonb not null,
  status          text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
  -- Grows with every claim: reports under an older token are rejected.
  token           integer not null default 0,
  attempts        integer not null default 0,
  lease_until     timestamptz,
  next_attempt_at timestamptz not null default now(),
  -- The last time the user requested it, for the limit per hour.
  requested_at    timestamptz not null default now()
);
create index if not exists ix_media_import_open on media_import (next_attempt_at) where status in ('queued', 'running');
create index if not exists ix_media_import_user on media_import (user_id, requested_at);

grant select, insert, update, delete on media_import to media;
