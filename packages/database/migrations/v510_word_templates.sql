-- readable-by: v449
-- proof: word_template
-- Media: Word documents of the organisation, in whose form transcripts are exported.

create table if not exists word_template (
  uuid          uuid primary key default gen_random_uuid(),
  name          text not null,
  -- As it was checked: without parts that an export does not need.
  content       bytea not null,
  placeholders  text[] not null,
  is_default    boolean not null default false,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now()
);
create unique index if not exists uq_word_template_name on word_template (lower(name));
create unique index if not exists uq_word_template_default on word_template (is_default) where is_default;

grant select, insert, update, delete on word_template to media;
