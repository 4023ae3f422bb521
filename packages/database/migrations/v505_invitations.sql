-- readable-by: v449
-- proof: user_invitation
-- Identity: links that let a person set a password once.

create table if not exists user_invitation (
  -- One for an account: a new link replaces the earlier one.
  user_id     uuid primary key references "user" (uuid) on delete cascade,
  -- SHA-256 of the token in the link.
  token_hash  text not null unique,
  -- The role of the account when the link was made: it gives no other role.
  role        text not null,
  created_by  uuid,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null
);

grant select, insert, update, delete on user_invitation to identity;
