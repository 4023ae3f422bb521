import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import type { AnswerOf, dispatcherRoutes, FileDetail } from '@overtone/contracts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { spokenAt } from './recordings.ts';
import type { Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { assertSpeakersAreVoices, assertSubtitles, assertWords } from './transcript.ts';

type Timeline = AnswerOf<typeof dispatcherRoutes.fileTimeline>;

function assertNear(actual: number | undefined, expected: number, what: string): void {
  return assert.ok(
    actual !== undefined && Math.abs(actual - expected) <= 1,
    `${what}: ${actual} s instead of ${expected} s`,
  );
}

function engineSeconds(timeline: Timeline): number {
  return timeline.stages.reduce((sum, stage) => sum + (stage.engine_seconds ?? 0), 0);
}

export function mainJob({ instance, recordings, collector }: Context): Suite {
  const traceId = randomBytes(16).toString('hex');
  let api: Client;
  let wall = 0;
  let meeting: FileDetail;
  let cooking: FileDetail;
  let real: FileDetail;
  return {
    name: 'The main job, over the API',
    checks: [
      {
        rule: 'signs in with the first administrator',
        run: async () => {
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          const me = await api.ok<{ role: string }>('GET', '/api/users/me');
          assert.equal(me.role, 'super_admin');
        },
      },
      {
        rule: 'a recorded conversation is completed',
        run: async () => {
          const startedAt = Date.now();
          const form = new FormData();
          form.set('file', await openAsBlob(recordings.meeting.path, { type: 'audio/wav' }), 'meeting.wav');
          const sent = await api.call<FileDetail>('POST', '/api/files', {
            body: form,
            headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` },
          });
          assert.equal(sent.status, 201, sent.text);
          meeting = await api.completed(sent.body.uuid);
          wall = (Date.now() - startedAt) / 1000;
        },
      },
      {
        rule: 'the timeline of the conversation contains the duration and the engine time of every stage',
        run: async (log) => {
          const timeline = await api.ok<Timeline>('GET', `/api/tasks/files/${meeting.uuid}`);
          const engine = engineSeconds(timeline);
          const stages = timeline.stages.map(
            ({ stage, seconds, engine_seconds: worked }) => `${stage} ${seconds?.toFixed(1)} (${worked?.toFixed(1)})`,
          );
          const summary = `${wall.toFixed(1)} s, engine ${engine.toFixed(1)} s: ${stages.join(', ')}`;
          log(`${recordings.meeting.duration.toFixed(0)} s of speech in ${summary}`);
          // Start and end of a stage are rounded to milliseconds.
          for (const { stage, seconds, engine_seconds: worked } of timeline.stages)
            assert.ok((worked ?? 0) <= (seconds ?? -1) + 0.002, `${stage}: ${worked} s of ${seconds} s`);
          assert.ok(engine > 0 && engine <= wall, summary);
        },
      },
      {
        rule: 'the conversation has two speakers, and each is one of the voices',
        run: async () => {
          assert.equal(meeting.speakers.length, 2, JSON.stringify(meeting.speakers));
          assertSpeakersAreVoices(meeting, recordings.meeting);
        },
      },
      {
        rule: "words have rising times inside the recording's duration",
        run: async () => {
          assert.ok(
            Math.abs((meeting.duration ?? 0) - recordings.meeting.duration) < 0.2,
            `duration ${meeting.duration}`,
          );
          assertWords(meeting);
        },
      },
      {
        rule: 'the transcript names the engine that made it',
        run: async () => assert.equal(meeting.engine?.provider, 'pocketsphinx'),
      },
      {
        rule: 'two real voices are distinguished and their words are in order',
        isNightly: true,
        run: async () => {
          const sent = await api.upload(recordings.real.path);
          assert.equal(sent.status, 201, sent.text);
          real = await api.completed(sent.body.uuid);
          assert.equal(real.speakers.length, 2, JSON.stringify(real.speakers));
          assertSpeakersAreVoices(real, recordings.real);
          assertWords(real);
        },
      },
      {
        rule: 'a search for a spoken word finds the file at the right second',
        run: async () => {
          const other = await api.upload(recordings.cooking.path);
          cooking = await api.completed(other.body.uuid);
          for (const [word, file, recording] of [
            ['windows', meeting, recordings.meeting],
            ['onions', cooking, recordings.cooking],
          ] as const) {
            const found = await until(
              `search for ${word}`,
              async () => {
                const answer = await api.search(word);
                return answer.results[0]?.file_uuid === file.uuid && answer;
              },
              jobLimitMs,
            );
            const [hit] = found.results[0]?.occurrences ?? [];
            assertNear(hit?.start_time, spokenAt(recording, word), word);
            assert.match(hit?.snippet ?? '', new RegExp(`<mark>${word}</mark>`, 'i'));
          }
        },
      },
      {
        rule: 'a paraphrase finds the passage by its meaning, before other files',
        run: async () => {
          for (const [question, file] of [
            ['due date', meeting],
            ['vacation', meeting],
            ['recipe kitchen meal', cooking],
          ] as const) {
            for (const mode of ['hybrid', 'semantic']) {
              // While the worker is busy or loads its text model, a search has no semantic results.
              const answer = await until(
                `the meaning of ${question} is searched for`,
                async () => {
                  const found = await api.search(question, mode);
                  return found.legs.semantic === 'ok' && found;
                },
                jobLimitMs,
              );
              const titles = answer.results.map(({ title }) => title);
              assert.equal(answer.results[0]?.file_uuid, file.uuid, `${question} (${mode}) found ${titles.join(', ')}`);
            }
          }
        },
      },
      {
        rule: 'the transcript can be exported as SRT, WebVTT, text and JSON',
        run: () => assertSubtitles(api, meeting.uuid),
      },
      {
        rule: 'the recording streams with ranges',
        run: async () => {
          const part = await api.call('GET', `/api/files/${meeting.uuid}/content`, {
            headers: { range: 'bytes=0-99' },
          });
          assert.equal(part.status, 206);
          assert.match(part.headers.get('content-range') ?? '', /^bytes 0-99\/\d+$/);
          const past = await api.call('GET', `/api/files/${meeting.uuid}/content`, {
            headers: { range: 'bytes=999999999-' },
          });
          assert.equal(past.status, 416);
        },
      },
      {
        rule: 'the waveform has peaks between 0 and 1, and low peaks in pauses',
        run: async () => {
          const wave = await api.ok<{ duration: number; peaks: number[] }>(
            'GET',
            `/api/files/${meeting.uuid}/waveform?samples=500`,
          );
          assert.ok(wave.peaks.length > 300 && wave.peaks.every((peak) => peak >= 0 && peak <= 1));
          assert.ok(Math.max(...wave.peaks) > 0.3 && Math.min(...wave.peaks) < 0.1);
        },
      },
      {
        rule: 'the timing of every stage is stored, with the duration of the recording',
        run: async () => {
          const timeline = await api.ok<Timeline>('GET', `/api/tasks/files/${meeting.uuid}`);
          assert.deepEqual(
            timeline.stages.map(({ stage }) => stage),
            ['prepare', 'transcribe', 'diarize', 'assemble', 'index'],
          );
          assert.ok(timeline.stages.every(({ status, seconds }) => status === 'completed' && (seconds ?? -1) >= 0));
          assert.ok(Math.abs((timeline.audio_duration_s ?? 0) - recordings.meeting.duration) < 0.2);
        },
      },
      {
        rule: 'a duplicate upload is rejected with the id of the existing file',
        run: async () => {
          const duplicate = await api.upload(recordings.meeting.path);
          assert.equal(duplicate.status, 409, duplicate.text);
          assert.match(duplicate.text, new RegExp(meeting.uuid));
        },
      },
      {
        rule: 'one trace contains the request, the bus messages, the jobs and their results',
        run: async () => {
          const wanted = ['media', 'transcription-dispatcher', 'transcription-worker', 'search-indexer'];
          await until(
            'spans of every service',
            async () => collector.servicesIn(traceId, wanted).length === wanted.length,
            jobLimitMs,
          ).catch((cause: unknown) => {
            throw new Error(
              `only ${collector.servicesIn(traceId, wanted).join(', ') || 'no service'} sent spans of the trace`,
              { cause },
            );
          });
        },
      },
    ],
  };
}
