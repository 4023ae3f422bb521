-- What v0.5.0 added, on top of the rows of v0.4.0: directory accounts, groups and mappings, sharing, sync runs, queues, the
-- bin, open uploads and revocation lists.
create function pg_temp.id(text) returns uuid language sql immutable as
  $$ select overlay(overlay(md5($1) placing '4' from 13) placing '8' from 17)::uuid $$;
create function pg_temp.at(hours double precision) returns timestamptz language sql immutable as
  $$ select timestamptz '2026-10-01 08:00:00.123456+00' + make_interval(secs => hours * 3600) $$;

insert into "user" (uuid, email, full_name, auth_type, is_active, created_at, updated_at, membership_version, ldap_uid, directory_id,
    oidc_issuer, oidc_subject, pki_issuer_dn, pki_subject_dn, proxy_user, approved_at, approved_by, approval_reason, disabled_by, disabled_at, asserted_email)
select pg_temp.id('directory user ' || i), 'directory' || i || '@example.org', 'Directory ' || i, type, i % 7 > 0, pg_temp.at(i), pg_temp.at(i + 1), i % 4,
  case when type = 'ldap' then 'uid' || i end, case when type = 'ldap' then 'entryUUID:' || pg_temp.id('entry ' || i) end,
  case when type = 'oidc' then 'https://idp.example.org' end, case when type = 'oidc' then 'subject ' || i end,
  -- Two authorities name the same subject; one account is from before issuers were kept.
  case when type = 'pki' and i > 10 then 'CN=Authority ' || i end, case when type = 'pki' then 'CN=' || case when i > 10 then 'Same' else 'Old' end end,
  case when type = 'proxy' then 'proxy' || i end, pg_temp.at(i), pg_temp.id('user 1'), 'known', case when i % 7 = 0 then 'directory' end,
  case when i % 7 = 0 then pg_temp.at(i + 3) end, case when type = 'pki' then 'card' || i || '@example.org' end
from generate_series(1, 40) i, lateral (select (array['ldap', 'oidc', 'proxy', 'ldap', 'ldap', 'oidc', 'pki', 'ldap'])[i % 8 + 1] as type) t;
update refresh_token set secret_id = md5('secret') where created_at > pg_temp.at(20);

insert into user_group (uuid, name, description, created_by, created_at, updated_at)
select pg_temp.id('group ' || i), 'Gruppe Ä ' || i, '', pg_temp.id('user 1'), pg_temp.at(i), pg_temp.at(i) from generate_series(1, 12) i;
insert into user_group_member (group_id, user_id, role, source, added_by, added_at)
select pg_temp.id('group ' || g), pg_temp.id('directory user ' || u), case when u = g then 'manager' else 'member' end,
  (array['manual', 'ldap', 'oidc', 'proxy'])[u % 4 + 1], case when u % 4 = 0 then pg_temp.id('user 1') end, pg_temp.at(u)
from generate_series(1, 12) g, generate_series(1, 40) u where (g + u) % 3 = 0;
insert into group_mapping (uuid, source, claim_value, group_id, grants_role, description, created_by, created_at, updated_at)
select pg_temp.id('mapping ' || i), (array['ldap', 'oidc', 'proxy'])[i % 3 + 1], 'CN=Team ' || i || ',OU=Größe,DC=example,DC=org' || repeat('x', i * 50),
  case when i % 4 > 0 then pg_temp.id('group ' || 1 + i % 12) end, case when i % 4 = 0 then 'admin' when i % 4 = 1 then 'user' end, null, pg_temp.id('user 1'), pg_temp.at(i), pg_temp.at(i)
from generate_series(1, 18) i;

insert into auth_config (uuid, config_key, category, config_value, is_sensitive, key_id, created_at, updated_at, updated_by) values
  (pg_temp.id('config 1'), 'ldap_server', 'ldap', '"ldap.example.org"', false, null, pg_temp.at(1), pg_temp.at(2), pg_temp.id('user 1')),
  (pg_temp.id('config 2'), 'ldap_bind_password', 'ldap', '"bm9uY2UgY2lwaGVydGV4dCB0YWc="', true, 'key1', pg_temp.at(1), pg_temp.at(2), pg_temp.id('user 1'));
insert into auth_config_audit (uuid, config_key, category, old_value, new_value, change_type, changed_by, ip_address, user_agent, created_at)
select pg_temp.id('config audit ' || i), 'ldap_server', 'ldap', case when i > 1 then to_jsonb('ldap' || i - 1) end, to_jsonb('ldap' || i),
  case when i = 1 then 'create' else 'update' end, pg_temp.id('user 1'), '10.0.0.7', 'curl/8', pg_temp.at(i) from generate_series(1, 5) i;
insert into oidc_spent_state select encode(sha256(('state ' || i)::bytea), 'hex'), pg_temp.at(i) from generate_series(1, 8) i;
insert into login_lockout select 'nobody' || i || '@example.org', i, i / 5, case when i > 4 then pg_temp.at(i) end, pg_temp.at(i) from generate_series(1, 9) i;

insert into file_share (uuid, media_file_id, group_id, user_id, permission, shared_by, created_at)
select pg_temp.id('share ' || i), pg_temp.id('file ' || i), case when i % 2 = 0 then pg_temp.id('group ' || 1 + i % 12) end,
  case when i % 2 = 1 then pg_temp.id('directory user ' || i % 40) end, (array['viewer', 'editor'])[i % 2 + 1], pg_temp.id('user 1'), pg_temp.at(i)
from generate_series(1, 20) i;
update media_file set access_version = 1 where uuid in (select media_file_id from file_share);
insert into media_membership select pg_temp.id('directory user ' || i), array[pg_temp.id('group ' || 1 + i % 12)], i from generate_series(1, 40) i;
insert into search_membership select * from media_membership;
insert into search_file_access select media_file_id, array_remove(array[group_id], null), array_remove(array[user_id], null), 1 from file_share;

insert into directory_pass (uuid, status, trigger, dry_run, report, set_digest, approves, approved_by, approved_at, started_at, finished_at)
select pg_temp.id('pass ' || i), (array['running', 'ok', 'held', 'directory_unavailable', 'disabled', 'failed'])[i % 6 + 1],
  (array['schedule', 'manual', 'approval'])[i % 3 + 1], i % 2 = 0, '{"examined": 40, "disabled": 2}', md5('set ' || i), null, null, null, pg_temp.at(i), pg_temp.at(i + 0.1)
from generate_series(1, 12) i;
update directory_pass set approves = pg_temp.id('pass 2'), approved_by = pg_temp.id('user 1'), approved_at = pg_temp.at(6) where uuid = pg_temp.id('pass 5');
insert into directory_decision (pass_id, user_id, email, ldap_uid, decision, reason, outcome, evidence, change, decided_at)
select pg_temp.id('pass ' || p), pg_temp.id('directory user ' || u), 'directory' || u || '@example.org', 'uid' || u, (array['leaver', 'change', 'returned'])[u % 3 + 1],
  'not found', 'disabled', '{"searched": 2}', '{"is_active": [true, false]}', pg_temp.at(p) from generate_series(1, 12) p, generate_series(1, 9) u;
update directory_lease set token = 12, holder = 'sync-1', until = pg_temp.at(12) where name = 'sweep';

update task set priority = 2, rank = 12.5, cost_s = 60, express = true, waiting_since = pg_temp.at(3) where token = 1;
update task set claim_id = pg_temp.id('claim ' || uuid) where status = 'in_progress';
update task set discarded_at = pg_temp.at(700) where status = 'failed' and failures = 1;
-- A run that was taken up again has its stage twice, one of them superseded.
update task set superseded = true where uuid = pg_temp.id('task 1 transcribe');
insert into task (uuid, run_id, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms, created_at, waiting_since)
select pg_temp.id('second ' || uuid), run_id, file_id, owner_id, stage, subject, queue, input, 3, 1000, pg_temp.at(800), pg_temp.at(800)
from task where superseded;
update run set priority = 0 where status = 'running';
update run set waiting_for = 'paused' where uuid = pg_temp.id('run 8');
insert into task_attempt (task_id, token, attempt, worker, claimed_at, ended_at, outcome, error_code, error_message)
select uuid, token, 1 + failures, coalesce(worker, 'worker-0'), pg_temp.at(4), case when status <> 'in_progress' then pg_temp.at(5) end,
  case status when 'completed' then 'completed' when 'failed' then 'failed' when 'cancelled' then 'cancelled' when 'pending' then 'lost' else 'running' end, error_code, error_message
from task where run_id is not null;
insert into queue_pause values ('gpu', 'driver update', pg_temp.id('user 1'), pg_temp.at(900));
insert into worker_seen select 'worker-' || i, 'transcription-worker', array['gpu', 'cpu'], '{"name": "sherpa"}', null, pg_temp.at(0), pg_temp.at(900) from generate_series(0, 3) i;
insert into gpu_profile select uuid, token, stage, 'parakeet', 'GPU-0', 'worker-1', 512, 4096, 61.7, pg_temp.at(5) from task where stage in ('transcribe', 'diarize');

update media_file set run_turned_at = pg_temp.at(5), stage_changed_at = pg_temp.at(6), no_speech = status = 'completed' and duration > 2000, stage_done = status = 'processing';
update media_file set deleted_at = pg_temp.at(950), deleted_by = user_id where uuid in (pg_temp.id('file 7'), pg_temp.id('file 21'));
update transcript_segment set edited_by = pg_temp.id('user 2') where edited;
insert into transcript_change (uuid, media_file_id, user_id, kind, before, created_at, undone_at)
select pg_temp.id('change ' || i), pg_temp.id('file ' || i), pg_temp.id('user 2'), (array['segment_edited', 'segment_deleted', 'speaker_merged', 'speaker_deleted'])[i % 4 + 1],
  '{"text": "Ein alter Satz"}', pg_temp.at(900 + i), case when i % 3 = 0 then pg_temp.at(901 + i) end from generate_series(1, 16) i;
insert into open_upload select pg_temp.id('upload ' || i), pg_temp.id('user 2'), 15000000000, i * 1000000, pg_temp.at(900 + i) from generate_series(1, 3) i;
insert into revocation_list (id, url, issuer_id, issuer_name, signature, scope, this_update, next_update, serial_words, serials, stored_at)
select pg_temp.id('list ' || i), 'http://crl.example.org/' || i, encode(sha256(('issuer ' || i)::bytea), 'hex'), 'CN=Authority ' || i, sha256(('signature ' || i)::bytea),
  (array['full', 'partial', 'indirect'])[i % 3 + 1], pg_temp.at(i), pg_temp.at(i + 168), 2, decode(repeat(lpad(to_hex(i), 16, '0'), 200), 'hex'), pg_temp.at(i) from generate_series(1, 3) i;
