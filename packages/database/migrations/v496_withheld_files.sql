-- readable-by: v449
-- proof: ix_index_state_withheld
-- Search: the withheld files, which every search reads. There are normally none.

create index if not exists ix_index_state_withheld on index_state (file_id) where withheld;
