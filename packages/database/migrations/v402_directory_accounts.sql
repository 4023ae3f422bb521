-- readable-by: v401
-- proof: ix_user_directory
-- Identity. The sweep reads the directory's accounts page after page; without this, every page reads the whole table.
create index ix_user_directory on "user" (uuid) where auth_type = 'ldap';
