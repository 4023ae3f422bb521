-- readable-by: v449
-- proof: index_state.withheld, index_state.mask_changes
-- Search: files that may contain text that a tighter policy of redaction masks.

alter table index_state
  -- Not found until the file was indexed again.
  add column if not exists withheld     boolean not null default false,
  -- Incremented when more of the file is masked: an index that was read before does not end `withheld`.
  add column if not exists mask_changes integer not null default 0;
