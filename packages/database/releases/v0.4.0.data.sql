-- What an instance of v0.4.0 stores after some weeks: local accounts, recordings in every state, runs that ended in
-- every way, an outbox that was not emptied. `pg_temp.id` makes the uuids, so that the same text makes the same rows.
create function pg_temp.id(text) returns uuid language sql immutable as
  $$ select overlay(overlay(md5($1) placing '4' from 13) placing '8' from 17)::uuid $$;
create function pg_temp.at(hours double precision) returns timestamptz language sql immutable as
  $$ select timestamptz '2026-10-01 08:00:00.123456+00' + make_interval(secs => hours * 3600) $$;

insert into "user" (uuid, email, full_name, password_hash, role, is_active, approval_status, must_change_password,
    password_changed_at, account_expires_at, last_login_at, failed_logins, lockouts, locked_until, created_at, updated_at)
select pg_temp.id('user ' || i), (array['Root@Example.org', 'zoë.müller@example.org', 'o''brien@example.org'])[i] , name,
  '$argon2id$v=19$m=19456,t=2,p=1$' || encode(decode(md5('salt' || i), 'hex'), 'base64') || '$' || encode(decode(md5('hash' || i), 'hex'), 'base64'),
  role, i <> 3, 'approved', i = 2, pg_temp.at(i), case when i = 3 then pg_temp.at(9000) end, pg_temp.at(400 + i), i - 1, i / 3,
  case when i = 3 then pg_temp.at(500) end, pg_temp.at(0), pg_temp.at(400)
from (values (1, 'Root', 'super_admin'), (2, 'Zoë Müller', 'admin'), (3, '渡辺 健 😀', 'user')) as person(i, name, role);
insert into "user" (uuid, email, full_name, approval_status, is_active, created_at, updated_at)
select pg_temp.id('user ' || i), 'user' || i || '@example.org', '', (array['approved', 'pending', 'rejected'])[i % 3 + 1], i % 3 = 0,
  pg_temp.at(i), pg_temp.at(i)
from generate_series(4, 40) i;

insert into refresh_token (uuid, session_id, user_id, token_hash, created_at, session_started_at, expires_at, absolute_expires_at,
    spent_at, revoked_at, user_agent, ip_address)
select pg_temp.id('token ' || i), pg_temp.id('session ' || i / 2), pg_temp.id('user ' || 1 + i % 3), encode(sha256(('token ' || i)::bytea), 'hex'),
  pg_temp.at(i), pg_temp.at(i - i % 2), pg_temp.at(i + 168), pg_temp.at(i + 720), case when i % 2 = 0 then pg_temp.at(i + 1) end,
  case when i % 5 = 0 then pg_temp.at(i + 2) end, 'Mozilla/5.0 (X11; Linux x86_64)', (array['10.0.0.7', '2001:db8::7', null])[i % 3 + 1]
from generate_series(1, 60) i;

insert into password_history (uuid, user_id, password_hash, created_at)
select pg_temp.id('password ' || i), pg_temp.id('user ' || 1 + i % 3), '$argon2id$v=19$m=19456,t=2,p=1$old$' || md5('old' || i), pg_temp.at(i)
from generate_series(1, 9) i;

insert into audit_log (uuid, time, event_type, outcome, actor, user_id, username, source_ip, user_agent, request_id, error_code, details)
select pg_temp.id('audit ' || i), pg_temp.at(i / 4.0), (array['auth.login.success', 'auth.login.failure', 'admin.user.create'])[i % 3 + 1],
  (array['success', 'failure', 'partial'])[i % 3 + 1], case when i % 2 = 0 then pg_temp.id('user 1')::text end,
  case when i % 3 <> 1 then pg_temp.id('user ' || 1 + i % 3) end, 'user' || i % 40 || '@example.org', '10.0.0.' || i % 250, 'curl/8', md5('request' || i),
  case when i % 3 = 1 then 'INVALID_CREDENTIALS' end, jsonb_build_object('attempt', i, 'note', E'a "quoted"\nline \\ ü')
from generate_series(1, 500) i;

insert into media_file (uuid, user_id, filename, title, object_key, content_type, file_size, file_hash, status, stage, waiting_for,
    upload_time, recorded_date, completed_at, duration, language, media_info, waveform_key, thumbnail_key, options, engine,
    diarization_provider, run_id, run_sequence, run_opened_at, transcript_version, transcript_run_id, transcript_provisional,
    warnings, error, updated_at)
select pg_temp.id('file ' || i), pg_temp.id('user ' || 1 + i % 3), 'recording ' || i || '.mp3',
  (array['Übergabe', 'ångström', '会議', 'Zebra', 'o''Neil', '💬 talk'])[i % 6 + 1] || ' ' || i, 'media/' || pg_temp.id('file ' || i) || '/source',
  'audio/mpeg', 1000000 + i * 5000000000, encode(sha256(('file ' || i)::bytea), 'hex'), status,
  case when status in ('processing', 'transcribing') then 'transcribe' end, case when i % 12 = 3 then 'worker' end, pg_temp.at(i),
  case when i % 2 = 0 then pg_temp.at(i - 100) end, case when status = 'completed' then pg_temp.at(i + 1) end, i * 61.7, 'de',
  '{"format": "mp3", "audio_codec": "mp3", "video_codec": null, "width": null, "height": null, "channels": 2, "sample_rate": 44100}', 'media/waveform' || i, null, '{"language": "de", "minSpeakers": 1, "maxSpeakers": null, "diarize": true}', '{"provider": "sherpa-onnx", "model": "parakeet", "timing": "engine"}',
  case when i % 2 = 0 then 'local' end, pg_temp.id('run ' || i), 5, pg_temp.at(i), 2, pg_temp.id('run ' || i), i % 7 = 0,
  case when i % 5 = 0 then array['diarization_skipped', 'low "confidence"'] else '{}' end,
  case when status = 'error' then '{"code": "engine_failed", "message": "ended"}'::jsonb end, pg_temp.at(i + 2)
from generate_series(1, 48) i, lateral (select (array['pending', 'uploaded', 'queued', 'downloading', 'processing', 'transcribing',
  'completed', 'error', 'cancelling', 'cancelled', 'orphaned', 'quarantined', 'completed', 'completed'])[i % 14 + 1] as status) s;

insert into speaker (uuid, media_file_id, name, display_name, created_at)
select pg_temp.id(format('speaker %s %s', f, s)), pg_temp.id('file ' || f), 'SPEAKER_0' || s, case when s = 1 then 'Zoë' end, pg_temp.at(f)
from generate_series(1, 48) f, generate_series(0, 2) s;

insert into transcript_segment (uuid, media_file_id, speaker_id, position, start_time, end_time, text, confidence, words, edited, edited_at, version)
select pg_temp.id(format('segment %s %s', f, p)), pg_temp.id('file ' || f), case when p % 4 < 3 then pg_temp.id(format('speaker %s %s', f, p % 4)) end,
  p, p * 3.1, p * 3.1 + 2.9, repeat('Ein längerer Satz mit "Zitat", ' || p || '. ', 1 + p % 9), case when p % 3 > 0 then 0.1 + p % 9 / 10.0 end,
  jsonb_build_array(jsonb_build_object('word', 'Ein', 'start', p * 3.1, 'end', p * 3.1 + 0.2, 'confidence', 0.9)), p % 10 = 0, case when p % 10 = 0 then pg_temp.at(f + p) end, 1 + p % 2
from generate_series(1, 48) f, generate_series(0, 40) p;

insert into tag (uuid, user_id, name, normalized_name, source, created_at)
select pg_temp.id('tag ' || i), pg_temp.id('user ' || 1 + i % 3), 'Thema Ä' || i, 'thema ä' || i, (array['manual', 'auto_ai', null])[i % 3 + 1], pg_temp.at(i)
from generate_series(1, 15) i;
insert into file_tag (media_file_id, tag_id, source, created_at)
select pg_temp.id('file ' || f), pg_temp.id('tag ' || t), (array['manual', 'auto_ai', null])[t % 3 + 1], pg_temp.at(f)
from generate_series(1, 48) f, generate_series(1, 15) t where (f + t) % 5 = 0;

insert into identity_outbox (message_id, subject, data, headers, created_at, sent_at)
select pg_temp.id('identity message ' || i), 'evt.identity.user.created.v1', jsonb_build_object('userId', pg_temp.id('user ' || i), 'role', 'user', 'method', 'local'),
  '{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}', pg_temp.at(i), case when i < 38 then pg_temp.at(i) end
from generate_series(1, 40) i;
insert into media_outbox (message_id, subject, data, created_at, sent_at)
select pg_temp.id('media message ' || i), 'evt.media.file.updated.v1', jsonb_build_object('fileId', pg_temp.id('file ' || i), 'ownerId', pg_temp.id('user ' || 1 + i % 3), 'status', 'queued'),
  pg_temp.at(i), case when i < 46 then pg_temp.at(i) end
from generate_series(1, 48) i;
insert into transcription_dispatcher_outbox (message_id, subject, data, created_at, sent_at)
select pg_temp.id('run message ' || i), 'evt.transcription.run.opened.v1', jsonb_build_object('runId', pg_temp.id('run ' || i),
  'fileId', pg_temp.id('file ' || i), 'ownerId', pg_temp.id('user ' || 1 + i % 3)), pg_temp.at(i), null
from generate_series(1, 5) i;
insert into search_indexer_outbox (message_id, subject, data, created_at, sent_at)
select pg_temp.id('index message ' || i), 'evt.search.file.indexed.v1', jsonb_build_object('fileId', pg_temp.id('file ' || i),
  'ownerId', pg_temp.id('user ' || 1 + i % 3), 'transcriptVersion', 2, 'chunks', 41, 'semantic', false), pg_temp.at(i), pg_temp.at(i)
from generate_series(1, 5) i;

insert into system_settings (key, value, updated_at, updated_by) values
  ('directory_sync', '{"enabled": false, "cron": "0 * * * *"}', pg_temp.at(3), pg_temp.id('user 1')::text);

insert into run (uuid, file_id, owner_id, status, waiting_for, object_key, content_type, options, audio_duration_s, sequence, warnings,
    opened_by, ordered_at, reminded_at, traceparent, created_at, completed_at)
select pg_temp.id('run ' || i), pg_temp.id('file ' || i), pg_temp.id('user ' || 1 + i % 3), status,
  case when status = 'running' then (array['engine', 'worker', null])[i / 4 % 3 + 1] end, 'media/' || pg_temp.id('file ' || i) || '/source', 'audio/mpeg',
  '{"language": "de", "minSpeakers": 1, "maxSpeakers": null, "diarize": true}', i * 61.7, 5, case when i % 5 = 0 then array['diarization_skipped'] else '{}' end, 'event ' || i, pg_temp.at(i),
  case when i % 6 = 0 then pg_temp.at(i + 0.5) end, null, pg_temp.at(i), case when status <> 'running' then pg_temp.at(i + 1) end
from generate_series(1, 48) i, lateral (select (array['running', 'completed', 'failed', 'cancelled'])[i % 4 + 1] as status) s;

insert into stage (run_id, stage, status, artefact, output, engine_seconds, ordered_at, started_at, completed_at)
select pg_temp.id('run ' || i), stage, (array['pending', 'running', 'completed', 'failed', 'cancelled'])[(i + n) % 5 + 1], 'runs/' || i || '/' || stage,
  case stage
    when 'prepare' then jsonb_build_object('artefact', 'a', 'audio', 'runs/' || i || '/audio.wav', 'waveform', 'runs/' || i || '/waveform', 'thumbnail', null,
      'duration', i * 61.7, 'truncated', false, 'media', '{"format": "mp3", "audio_codec": "mp3", "video_codec": null, "width": null, "height": null,
      "channels": 2, "sample_rate": 44100}'::jsonb, 'engine_seconds', 1.25)
    when 'transcribe' then '{"artefact": "a", "engine": {"provider": "sherpa-onnx", "model": "parakeet", "timing": "engine"}, "language": "de", "words": 400, "engine_seconds": 2.5}'
    when 'diarize' then '{"artefact": "a", "provider": "local", "speakers": 3, "degraded": null, "engine_seconds": 1.5}'
    when 'assemble' then '{"artefact": "a", "segments": 41, "speakers": 3, "engine_seconds": 0.1}'
    else '{"artefact": null, "chunks": 41, "semantic": false, "engine_seconds": 0.1}'
  end, i * 2.5, pg_temp.at(i), pg_temp.at(i + 0.1), pg_temp.at(i + 0.2)
from generate_series(1, 48) i, (values (1, 'prepare'), (2, 'transcribe'), (3, 'diarize'), (4, 'assemble'), (5, 'index')) as stages(n, stage);

insert into task (uuid, run_id, file_id, owner_id, stage, subject, queue, input, status, token, worker, failures, max_failures, backoff_ms,
    infra_requeues, next_attempt_at, publications, published_at, claimed_at, started_at, completed_at, error_code, error_message, created_at)
select pg_temp.id(format('task %s %s', i, stage)), pg_temp.id('run ' || i), pg_temp.id('file ' || i), pg_temp.id('user ' || 1 + i % 3), stage, subject,
  split_part(subject, '.', 2),
  jsonb_build_object('runId', pg_temp.id('run ' || i), 'fileId', pg_temp.id('file ' || i), 'ownerId', pg_temp.id('user ' || 1 + i % 3),
    'earlier', '{}'::jsonb, 'objectKey', 'media/' || pg_temp.id('file ' || i) || '/source', 'contentType', 'audio/mpeg', 'audio', 'runs/' || i || '/audio.wav',
    'duration', i * 61.7, 'transcriptVersion', 2, 'options', '{"language": "de", "minSpeakers": 1, "maxSpeakers": null, "diarize": true}'::jsonb), status, 1 + i % 3, case when status <> 'pending' then 'worker-' || i % 4 end,
  i % 3, 3, 1000, i % 2, case when status = 'pending' and i % 2 = 0 then pg_temp.at(i + 5) end, 1 + i % 3, pg_temp.at(i), pg_temp.at(i + 0.1), pg_temp.at(i + 0.1),
  case when status in ('completed', 'failed') then pg_temp.at(i + 0.2) end, case when status = 'failed' then 'engine_failed' end,
  case when status = 'failed' then E'ended with\nsignal 9' end, pg_temp.at(i)
from generate_series(1, 48) i, (values (1, 'prepare', 'job.cpu.media.prepare'), (2, 'transcribe', 'job.gpu.transcription.transcribe'),
    (3, 'diarize', 'job.gpu.transcription.diarize'), (4, 'assemble', 'job.cpu.transcription.assemble'), (5, 'index', 'job.embedding.search.index')) as jobs(n, stage, subject),
  lateral (select (array['completed', 'failed', 'cancelled', 'in_progress', 'pending'])[(i + n) % 5 + 1] as status) s;
-- Recordings that are indexed again, without a run.
insert into task (uuid, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms, created_at)
select pg_temp.id('reindex ' || i), pg_temp.id('file ' || i), pg_temp.id('user 1'), 'index', 'job.embedding.search.index', 'embedding',
  jsonb_build_object('runId', pg_temp.id('reindex run ' || i), 'fileId', pg_temp.id('file ' || i), 'ownerId', pg_temp.id('user 1'), 'earlier', '{}'::jsonb, 'transcriptVersion', 2),
  5, 500, pg_temp.at(600)
from generate_series(1, 4) i;

insert into file_pipeline_timing (run_id, file_id, user_id, audio_duration_s, engine, file_opened_at, prepare_s, prepare_engine_s, transcribe_s,
    transcribe_engine_s, diarize_s, queue_s, engine_s, total_s, retry_count, completed_at)
select pg_temp.id('run ' || i), pg_temp.id('file ' || i), pg_temp.id('user ' || 1 + i % 3), i * 61.7, 'sherpa', pg_temp.at(i), 1.5, 1.25, i * 3.1, i * 3.0,
  case when i % 5 > 0 then i * 1.1 end, 0.25, i * 4.2, i * 5.3, i % 2, case when i % 4 > 0 then pg_temp.at(i + 1) end
from generate_series(1, 48) i;

insert into index_state (file_id, owner_id, transcript_version, title, tags, speakers, content_type, duration, language, upload_time, fingerprint,
    generation, chunks, model, semantic, indexed_at, due_at, attempts, error)
select pg_temp.id('file ' || i), pg_temp.id('user ' || 1 + i % 3), 2, 'Übergabe ' || i, array['thema ä1', 'b"c', ''], array['Zoë'], 'audio/mpeg', i * 61.7, 'de', pg_temp.at(i),
  md5('text' || i), 'g1', 41, 'wink-100', i % 2 = 0, pg_temp.at(i + 2), case when i % 9 = 0 then pg_temp.at(i + 3) end, i % 9 / 8, case when i % 9 = 8 then 'engine unreachable' end
from generate_series(1, 48) i;
