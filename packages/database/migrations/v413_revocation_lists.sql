-- readable-by: v410
-- proof: revocation_list
-- Identity. Authentic revocation lists of client certificates: after a restart they apply although their server is unreachable.
create table revocation_list (
  id           uuid primary key default gen_random_uuid(),
  url          text not null,
  issuer_id    text not null,
  issuer_name  text not null,
  signature    bytea not null,
  scope        text not null check (scope in ('full', 'partial', 'indirect')),
  this_update  timestamptz not null,
  next_update  timestamptz,
  serial_words integer not null check (serial_words > 0),
  serials      bytea not null,
  stored_at    timestamptz not null default now(),
  unique (issuer_id, signature)
);
comment on column revocation_list.issuer_id is 'SHA-256 of the issuer''s name and public key';
comment on column revocation_list.serials is 'sorted serial numbers, each of serial_words little-endian 32-bit words';
-- A list of a million entries has 20 MB that do not compress; identity reads them in parts.
alter table revocation_list alter column serials set storage external;
grant select, insert, update, delete on revocation_list to identity;
