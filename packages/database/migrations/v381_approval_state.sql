-- readable-by: v381 (narrows the accounts that older code may write: ck_user_ldap_no_local_fallback)
-- proof: login_lockout, user.ldap_uid, user.disabled_at
-- Where accounts come from, who released or disabled them, and locks of names that have no account yet (identity).
alter table "user"
  add column ldap_uid         text,
  -- Immutable id of the directory entry, e.g. 'entryUUID:...'; wins over ldap_uid.
  add column directory_id     text,
  add column oidc_issuer      text,
  add column oidc_subject     text,
  add column pki_subject_dn   text,
  add column proxy_user       text,
  add column approved_at      timestamptz,
  add column approved_by      uuid,
  add column approval_reason  text,
  add column disabled_by      text constraint ck_user_disabled_by check (disabled_by in ('administrator', 'directory')),
  add column disabled_at      timestamptz,
  -- One implementation of the rule in code, and this behind it: a directory account never has a way around its directory.
  add constraint ck_user_ldap_no_local_fallback check (not (auth_type = 'ldap' and allow_local_fallback));
create unique index uq_user_ldap_uid_ci on "user" (lower(ldap_uid)) where ldap_uid is not null;
create unique index uq_user_directory_id on "user" (directory_id) where directory_id is not null;
create unique index uq_user_oidc_subject on "user" (oidc_issuer, oidc_subject) where oidc_subject is not null;
create unique index uq_user_pki_subject on "user" (pki_subject_dn) where pki_subject_dn is not null;
create unique index uq_user_proxy_user on "user" (proxy_user) where proxy_user is not null;

-- Failed sign-ins of somebody without an account: one row per canonical name.
create table login_lockout (
  login_key      text primary key,
  failed_logins  integer not null default 0,
  lockouts       integer not null default 0,
  locked_until   timestamptz,
  updated_at     timestamptz not null default now()
);

grant select, insert, update, delete on login_lockout to identity;
