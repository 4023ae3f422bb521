-- readable-by: v449
-- proof: erasure_key
-- Identity: the keys of the ledger's hashes that are no longer in ENCRYPTION_KEY, sealed by their successor. They survive a
-- restore with the ledger: packages/backup creates this table in a backup that lacks it.
create table if not exists erasure_key (
  uuid      uuid primary key default gen_random_uuid(),
  -- `erasure.key_id`
  key_id    text not null,
  purpose   text not null,
  sealed_by text not null,
  text      text not null
);

grant select, insert, update (sealed_by, text) on erasure_key to identity;
