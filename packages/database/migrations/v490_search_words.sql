-- readable-by: v449
-- proof: search_word
-- Search: the words of each file, for suggestions while typing and for the correction of typing errors.
create table if not exists search_word (
  word    text collate "C" not null,
  file_id uuid not null references index_state (file_id) on delete cascade,
  primary key (word, file_id)
);
create index if not exists ix_search_word_file on search_word (file_id);
grant select, insert, update, delete on search_word to search_indexer;
