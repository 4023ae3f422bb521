-- readable-by: v449
-- proof: redaction_names_model
-- Redaction: the model that finds names in addition to the rules; null, or no row: rules only.
create table if not exists redaction_names_model (
  id    boolean primary key default true check (id),
  model text
);
grant select, insert, update, delete on redaction_names_model to media;
