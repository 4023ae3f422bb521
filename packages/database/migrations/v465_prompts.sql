-- readable-by: v449
-- proof: insight_prompt, insight_active_prompt
-- Insights: the prompts of people. Built-in ones are part of the program.

create table if not exists insight_prompt (
  uuid         uuid primary key default gen_random_uuid(),
  user_id      uuid not null,
  name         text not null,
  description  text not null default '',
  text         text not null,
  content_type text not null check (content_type in
    ('meeting', 'interview', 'podcast', 'documentary', 'general', 'speaker_identification')),
  tags         text[] not null default '{}',
  is_shared    boolean not null default false,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now()
);
create index if not exists ix_insight_prompt_user on insight_prompt (user_id);
create index if not exists ix_insight_prompt_shared on insight_prompt (content_type) where is_shared;

-- Without a row the built-in prompt of the content type is used.
create table if not exists insight_active_prompt (
  user_id      uuid not null,
  content_type text not null,
  -- No reference: the person is informed when the prompt no longer exists.
  prompt_id    uuid not null,
  primary key (user_id, content_type)
);

grant select, insert, update, delete on insight_prompt, insight_active_prompt to insights;
