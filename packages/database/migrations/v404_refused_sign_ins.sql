-- readable-by: v401
-- proof: ix_audit_log_refused
-- Identity. Why somebody was refused is asked by the name that was typed, which need not be that of an account.
create index ix_audit_log_refused on audit_log (lower(username), time desc) where event_type = 'auth.login.failure';
