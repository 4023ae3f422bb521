-- readable-by: v401 (older code takes accounts of two issuers with the same subject for one)
-- proof: user.pki_issuer_dn, ix_user_account_expires
-- Identity. Whose account ends is looked for twice a second.
create index ix_user_account_expires on "user" (account_expires_at) where account_expires_at is not null;

-- A certificate's subject is a name that its issuer gave: another authority may give the same one to somebody else. Accounts from
-- before have no issuer until their owner comes with a certificate again.
alter table "user" add column pki_issuer_dn text;
drop index uq_user_pki_subject;
create unique index uq_user_pki_subject on "user" (pki_issuer_dn, pki_subject_dn) where pki_issuer_dn is not null;
create unique index uq_user_pki_subject_only on "user" (pki_subject_dn) where pki_subject_dn is not null and pki_issuer_dn is null;
