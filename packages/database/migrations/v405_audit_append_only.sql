-- readable-by: v405 (older code deletes audit records itself, which its role may no longer do)
-- proof: audit_retention
-- Identity. The audit log is append-only for the service: its role reads and inserts records, and neither changes nor deletes
-- any. The same holds for the history of the sign-in settings.
revoke update, delete, truncate on audit_log, auth_config_audit from identity;

-- Set by every migration run from AUDIT_LOG_RETENTION_DAYS; the service cannot shorten it.
create table audit_retention (
  only_row boolean primary key default true check (only_row),
  days     integer not null check (days between 1 and 36500)
);
insert into audit_retention (days) values (365);
grant select on audit_retention to identity;

-- The only way for the service to delete records: the oldest ones, once they are older than the retention time.
create function delete_old_audit_records(at_most integer) returns integer
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with old as (
    select uuid from public.audit_log
    where time < now() - make_interval(days => (select days from public.audit_retention))
    order by time limit at_most),
  deleted as (delete from public.audit_log where uuid in (select uuid from old) returning 1)
  select count(*)::integer from deleted
$$;
revoke all on function delete_old_audit_records(integer) from public;
grant execute on function delete_old_audit_records(integer) to identity;
