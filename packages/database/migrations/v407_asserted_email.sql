-- readable-by: v405
-- proof: user.asserted_email
-- Identity. The address that a person's certificate named last: only a new one replaces the address of the account, so that a
-- correction by an administrator stays.
alter table "user" add column asserted_email text;
