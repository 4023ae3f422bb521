-- readable-by: v449
-- proof: vocabulary_term
-- Media: names and terms that speech engines expect in the recordings of a person.

create table if not exists vocabulary_term (
  uuid        uuid primary key default gen_random_uuid(),
  user_id     uuid not null,
  term        text not null,
  -- The term without differences of case and width: each is kept once.
  term_key    text not null,
  created_at  timestamptz not null default now(),
  constraint uq_vocabulary_term unique (user_id, term_key)
);

grant select, insert, update, delete on vocabulary_term to media;
