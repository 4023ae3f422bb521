-- readable-by: v381
-- proof: refresh_token.secret_id
-- Which signing secret a session was made under: with another one every session is over (identity).
alter table refresh_token add column secret_id text not null default '';
