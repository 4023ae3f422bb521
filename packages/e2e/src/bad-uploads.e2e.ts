import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '@overtone/contracts';
import { clientOf, signIn, type Answer, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { resignToken, signInAsOther } from './people.ts';
import { write } from './recordings.ts';
import type { Check, Suite } from './suite.ts';
import { until } from './until.ts';

/** Internals that a response must not contain: folders, code, queries. */
const internals = /node_modules|\/services\/|\.ts:\d+|select .* from|ECONNREFUSED|prisma|postgres/i;

function assertProblem(answer: Answer<unknown>, statuses: readonly number[], codes?: RegExp): void {
  assert.ok(statuses.includes(answer.status), `${answer.status} ${answer.text.slice(0, 300)}`);
  assert.match(answer.headers.get('content-type') ?? '', /application\/problem\+json/);
  const problem = answer.body as Problem;
  assert.equal(problem.status, answer.status);
  assert.ok(problem.code && problem.detail && problem.request_id, answer.text);
  if (codes) assert.match(problem.code, codes);
  assert.doesNotMatch(answer.text, internals);
}

export function badUploads(context: Context, maxUploadBytes: number): Suite {
  const { instance, recordings } = context;
  let api: Client;
  let before = 0;
  const total = async (): Promise<number> => (await api.ok<{ total: number }>('GET', '/api/files')).total;
  const at = (name: string): string => join(recordings.folder, name);
  const untilFinished = (uuid: string) =>
    until(
      'the file is completed or failed',
      async () => {
        const file = await api.file(uuid, '?segment_limit=0');
        return ['completed', 'error'].includes(file.status) && file;
      },
      280_000,
    );
  const rejectionCheck = (rule: string, work: () => Promise<void>): Check => ({
    rule,
    run: async () => {
      await work();
      assert.equal(await total(), before, 'something was stored');
    },
  });

  return {
    name: 'Bad uploads and bad callers',
    checks: [
      {
        rule: 'signs in',
        run: async () => {
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          before = await total();
        },
      },
      rejectionCheck('an empty file is rejected', async () => {
        assertProblem(await api.upload(await write(at('empty.wav'), '')), [400, 415, 422]);
      }),
      rejectionCheck('a text with the extension of a recording is rejected', async () => {
        assertProblem(await api.upload(await write(at('text.mp3'), 'Dear diary, '.repeat(5_000))), [400, 415, 422]);
      }),
      rejectionCheck('a body of the wrong content type is rejected', async () => {
        for (const type of [
          'application/json',
          'text/plain',
          'multipart/form-data',
          'application/x-www-form-urlencoded',
        ]) {
          assertProblem(
            await api.call('POST', '/api/files', { body: '{"file":1}', headers: { 'content-type': type } }),
            [400, 415, 422],
          );
        }
      }),
      rejectionCheck('a truncated multipart body is rejected', async () => {
        const sound = await readFile(recordings.cooking.path);
        const head =
          '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n';
        const body = Buffer.concat([Buffer.from(head), sound.subarray(0, 50_000)]);
        assertProblem(
          await api.call('POST', '/api/files', {
            body,
            headers: { 'content-type': 'multipart/form-data; boundary=b' },
          }),
          [400, 422],
        );
      }),
      rejectionCheck('a file over the limit is rejected', async () => {
        const big = Buffer.alloc(maxUploadBytes + 1_000_000);
        (await readFile(recordings.cooking.path)).copy(big);
        const answer = await api.upload(await write(at('big.wav'), big)).catch((error: unknown) => error as Error);
        // The server may respond before it has read the whole body; a client that is still writing then gets a reset.
        if (!(answer instanceof Error)) assertProblem(answer, [413]);
        const declared = await api.call('POST', '/api/files/tus', {
          headers: { 'tus-resumable': '1.0.0', 'upload-length': String(maxUploadBytes + 1) },
        });
        assert.equal(declared.status, 413, declared.text);
      }),
      {
        rule: 'a truncated recording is transcribed up to its end, or fails with an explanation',
        isNightly: true,
        run: async () => {
          const sound = await readFile(recordings.mp3);
          const sent = await api.upload(
            await write(at('cut off.mp3'), sound.subarray(0, Math.floor(sound.length / 2))),
          );
          assert.equal(sent.status, 201, sent.text);
          const file = await untilFinished(sent.body.uuid);
          if (file.status === 'error') assert.ok(file.error?.what_to_do);
          await api.ok('DELETE', `/api/files/${sent.body.uuid}`);
        },
      },
      {
        rule: 'a truncated video fails with a code and an instruction',
        isNightly: true,
        run: async () => {
          const film = await readFile(recordings.video);
          const sent = await api.upload(await write(at('no end.mp4'), film.subarray(0, Math.floor(film.length / 3))));
          if (sent.status !== 201) return assertProblem(sent, [400, 415, 422]);
          const file = await untilFinished(sent.body.uuid);
          assert.equal(file.status, 'error');
          assert.ok(file.error?.code && file.error.what_to_do, JSON.stringify(file.error));
          assert.doesNotMatch(JSON.stringify(file.error), internals);
          await api.ok('DELETE', `/api/files/${sent.body.uuid}`);
        },
      },
      {
        rule: 'a file name with ../ is stored without the path, and one of 10,000 characters is cut or rejected',
        run: async () => {
          for (const name of ['../../../../etc/passwd.wav', '..\\..\\boot.wav', `${'x'.repeat(10_000)}.wav`]) {
            const sent = await api.upload(recordings.cooking.path, { allow_duplicate: 'true' }, name);
            if (sent.status !== 201) {
              assertProblem(sent, [400, 422]);
              continue;
            }
            assert.doesNotMatch(sent.body.filename, /[/\\]/);
            assert.ok(sent.body.filename.length <= 255, `${sent.body.filename.length} characters`);
            await api.ok('DELETE', `/api/files/${sent.body.uuid}`);
          }
        },
      },
      rejectionCheck('an unknown id returns 404 on every route', async () => {
        const id = randomUUID();
        for (const [method, path] of [
          ['GET', `/api/files/${id}`],
          ['GET', `/api/files/${id}/content`],
          ['GET', `/api/files/${id}/waveform`],
          ['GET', `/api/files/${id}/subtitles`],
          ['DELETE', `/api/files/${id}`],
          ['GET', `/api/tasks/files/${id}`],
        ] as const) {
          assertProblem(await api.call(method, path), [404]);
        }
        assertProblem(await api.call('GET', '/api/files/not-an-id'), [400, 404, 422]);
      }),
      {
        rule: "another user's file returns 404 on every route, and is not found by search",
        run: async () => {
          const sent = await api.upload(recordings.cooking.path, { allow_duplicate: 'true', title: 'Private' });
          const file = await api.completed(sent.body.uuid);
          const other = await signInAsOther(instance, 'other@example.org');
          const [segment] = file.transcript_segments;
          const [speaker] = file.speakers;
          const requests: readonly (readonly [string, string, unknown?])[] = [
            ['GET', `/api/files/${file.uuid}`],
            ['GET', `/api/files/${file.uuid}/segments`],
            ['GET', `/api/files/${file.uuid}/content`],
            ['GET', `/api/files/${file.uuid}/waveform`],
            ['GET', `/api/files/${file.uuid}/thumbnail`],
            ['GET', `/api/files/${file.uuid}/subtitles`],
            ['PUT', `/api/files/${file.uuid}`, { title: 'Taken' }],
            ['PUT', `/api/files/${file.uuid}/transcript/segments/${segment?.uuid}`, { text: 'Taken' }],
            ['PUT', `/api/transcripts/segments/${segment?.uuid}/speaker`, { speaker_uuid: null }],
            ['PUT', `/api/speakers/${speaker?.uuid}`, { display_name: 'Taken' }],
            ['GET', `/api/speakers?file_uuid=${file.uuid}`],
            ['POST', `/api/speakers?media_file_uuid=${file.uuid}`, { display_name: 'Taken' }],
            ['POST', `/api/tags/files/${file.uuid}/tags`, { name: 'taken' }],
            ['POST', `/api/files/${file.uuid}/reprocess`, {}],
            ['POST', `/api/files/${file.uuid}/cancel`],
            ['GET', `/api/tasks/files/${file.uuid}`],
            ['DELETE', `/api/files/${file.uuid}`],
          ];
          for (const [method, path, body] of requests) {
            const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {};
            const answer = await other.call(method, path, init);
            assert.equal(answer.status, 404, `${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
          }
          assert.deepEqual((await other.search('onions')).results, []);
          assert.deepEqual((await other.ok<{ items: unknown[] }>('GET', '/api/files')).items, []);
          assertProblem(await other.call('GET', '/api/admin/engines'), [403]);
          assertProblem(await other.call('POST', '/api/search/reindex'), [403]);
          assert.equal((await api.file(file.uuid)).title, 'Private');
          await api.ok('DELETE', `/api/files/${file.uuid}`);
        },
      },
      rejectionCheck('an expired token with a valid signature returns 401', async () => {
        const now = Math.floor(Date.now() / 1000);
        const valid = clientOf(instance.baseUrl, await resignToken(instance, api.token, { exp: now + 60 }));
        assert.equal((await valid.call('GET', '/api/users/me')).status, 200);
        const expired = clientOf(
          instance.baseUrl,
          await resignToken(instance, api.token, { iat: now - 1000, exp: now - 60 }),
        );
        assertProblem(await expired.call('GET', '/api/users/me'), [401]);
        const refresh = clientOf(
          instance.baseUrl,
          await resignToken(instance, api.token, { type: 'refresh', exp: now + 60 }),
        );
        assertProblem(await refresh.call('GET', '/api/users/me'), [401]);
      }),
      rejectionCheck('a missing, forged or altered token returns 401', async () => {
        const [header, payload] = api.token.split('.');
        const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`;
        const altered = `${header}.${Buffer.from('{"sub":"x","role":"super_admin","type":"access"}').toString('base64url')}.x`;
        for (const token of ['', 'forged', unsigned, altered]) {
          const anonymous = clientOf(instance.baseUrl, token);
          assertProblem(await anonymous.call('GET', '/api/files'), [401]);
          assertProblem(await anonymous.upload(recordings.cooking.path), [401]);
        }
      }),
      rejectionCheck('identity headers from the client are ignored', async () => {
        const anonymous = clientOf(instance.baseUrl, '');
        for (const name of ['x-overtone-assertion', 'x-user-id', 'x-forwarded-user', 'remote-user']) {
          assertProblem(await anonymous.call('GET', '/api/users/me', { headers: { [name]: api.token } }), [401]);
        }
      }),
      rejectionCheck('a request with a cookie and without the CSRF header returns 403', async () => {
        const answer = await fetch(`${instance.baseUrl}/api/tags`, {
          method: 'POST',
          headers: { cookie: `access_token=${api.token}`, 'content-type': 'application/json' },
          body: '{"name":"forged"}',
        });
        assert.equal(answer.status, 403, await answer.text());
      }),
      rejectionCheck('malformed JSON returns 400 with a code', async () => {
        assertProblem(
          await api.call('POST', '/api/tags', { body: '{"name":', headers: { 'content-type': 'application/json' } }),
          [400],
          /malformed_json/,
        );
      }),
    ],
  };
}
