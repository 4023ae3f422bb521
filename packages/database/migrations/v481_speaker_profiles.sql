-- readable-by: v449
-- proof: speaker_profile, speaker_suggestion, speaker_apart, voice_match_due, speaker.profile_id
-- media: people whose voice is known, and who is suggested for which speaker.

create table if not exists speaker_profile (
  uuid       uuid primary key default gen_random_uuid(),
  -- Of one person or of a group.
  owner_id   uuid,
  group_id   uuid,
  name       text not null,
  auto_apply boolean not null default false,
  created_at timestamptz not null default now(),
  check ((owner_id is null) <> (group_id is null))
);
create unique index if not exists ux_speaker_profile_owner on speaker_profile (owner_id, lower(name)) where owner_id is not null;
create unique index if not exists ux_speaker_profile_group on speaker_profile (group_id, lower(name)) where group_id is not null;

alter table speaker
  add column if not exists profile_id     uuid references speaker_profile (uuid) on delete set null,
  -- The voice must not be stored: its profile was deleted.
  add column if not exists voice_excluded boolean not null default false;
create index if not exists ix_speaker_profile on speaker (profile_id) where profile_id is not null;

-- A rejected suggestion stays, so that it is not made again.
create table if not exists speaker_suggestion (
  speaker_id uuid not null references speaker (uuid) on delete cascade,
  profile_id uuid not null references speaker_profile (uuid) on delete cascade,
  confidence double precision not null,
  state      text not null default 'open' check (state in ('open', 'rejected')),
  decided_by uuid,
  changed_at timestamptz not null default now(),
  primary key (speaker_id, profile_id)
);
create index if not exists ix_speaker_suggestion_profile on speaker_suggestion (profile_id);

-- Not the same person; the smaller id first.
create table if not exists speaker_apart (
  first_id   uuid not null references speaker (uuid) on delete cascade,
  second_id  uuid not null references speaker (uuid) on delete cascade,
  created_by uuid,
  primary key (first_id, second_id),
  check (first_id < second_id)
);
create index if not exists ix_speaker_apart_second on speaker_apart (second_id);

-- Owners whose voices have to be compared again.
create table if not exists voice_match_due (
  owner_id  uuid primary key,
  requested_at timestamptz not null default now()
);

grant select, insert, update, delete on speaker_profile, speaker_suggestion, speaker_apart, voice_match_due to media;
