-- readable-by: v010
-- proof: oidc_spent_state
-- States of sign-ins at an identity provider that have come back: each can do so once (identity).
create table oidc_spent_state (
  state_hash  text primary key,
  expires_at  timestamptz not null
);
create index ix_oidc_spent_state_expires on oidc_spent_state (expires_at);

grant select, insert, delete on oidc_spent_state to identity;
