-- readable-by: v449
-- proof: insights_settings, insights_outbox
-- Insights: language models, summaries, suggestions and answers.
create table if not exists insights_settings (
  key        text primary key,
  value      jsonb not null,
  updated_at timestamptz not null default now(),
  updated_by text
);

create table if not exists insights_outbox (like identity_outbox including all);

grant select, insert, update, delete on insights_settings, insights_outbox to insights;
