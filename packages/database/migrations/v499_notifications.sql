-- readable-by: v449
-- proof: notification, media_file.last_edited_by
-- Identity: what each account is notified of. Media: who edited a recording last.

create table if not exists notification (
  uuid        uuid primary key default gen_random_uuid(),
  user_id     uuid not null references "user" (uuid) on delete cascade,
  kind        text not null,
  -- The recording, collection or run.
  subject_id  uuid not null,
  -- Null: the platform itself.
  actor_id    uuid references "user" (uuid) on delete cascade,
  -- Of the event: a repeated delivery changes nothing.
  time        timestamptz not null,
  read_at     timestamptz
);
-- One entry for a cause; a later event of the same cause renews it.
create unique index if not exists uq_notification_cause on notification
  (user_id, kind, subject_id, coalesce(actor_id, '00000000-0000-0000-0000-000000000000'));
create index if not exists ix_notification_user on notification (user_id, time desc);
create index if not exists ix_notification_subject on notification (subject_id);
create index if not exists ix_notification_actor on notification (actor_id);
create index if not exists ix_notification_time on notification (time);

grant select, insert, update, delete on notification to identity;

-- The last change of text, speakers, tags or title by a person.
alter table media_file add column if not exists last_edited_by uuid;
alter table media_file add column if not exists last_edited_at timestamptz;
