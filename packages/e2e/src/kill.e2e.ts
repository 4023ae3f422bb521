import assert from 'node:assert/strict';
import type { AnswerOf, dispatcherRoutes, FileDetail, Stage } from '@overtone/contracts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { choose, type Check, type Choice, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { pidOf, type Victim } from './victims.ts';

type Timeline = AnswerOf<typeof dispatcherRoutes.fileTimeline>;
/** The time of the kill: after the upload was acknowledged, or while a stage is running. */
type Moment = 'accepted' | Stage;
type Kill = readonly [Victim, Moment];

const kills: readonly Kill[] = [
  ['media', 'accepted'],
  ['media', 'transcribe'],
  ['transcription-dispatcher', 'diarize'],
  ['transcription-dispatcher', 'accepted'],
  ['transcription-worker', 'transcribe'],
  ['search-indexer', 'diarize'],
  ['nats', 'accepted'],
  ['nats', 'transcribe'],
  ['postgres', 'transcribe'],
  ['postgres', 'accepted'],
];

function kill(instance: Instance, victim: Victim): void {
  return void process.kill(pidOf(instance, victim), 'SIGKILL');
}

function wordsOf(file: FileDetail): string {
  return file.transcript_segments.map(({ text }) => text).join(' ');
}

async function untilReached(api: Client, fileId: string, moment: Moment): Promise<void> {
  if (moment === 'accepted') return;
  await until(
    `stage ${moment}`,
    async () => {
      const timeline = await api.ok<Timeline>('GET', `/api/tasks/files/${fileId}`);
      return timeline.stages.some(({ stage, status }) => stage === moment && status !== 'pending');
    },
    240_000,
    25,
  );
}

function waitUntilReady(instance: Instance): Promise<true> {
  return until(
    'every service is ready again',
    async () => (await instance.status()).services.every(({ ready }) => ready) && (true as const),
    240_000,
    500,
  );
}

async function assertOnce(api: Client, file: FileDetail, reference: FileDetail): Promise<void> {
  assert.equal(wordsOf(file), wordsOf(reference), 'the transcript differs from the one made without a kill');
  assert.equal(file.total_segments, reference.total_segments);
  assert.equal(file.speakers.length, reference.speakers.length);
  const starts = file.transcript_segments.map(({ start_time: start }) => start);
  assert.equal(new Set(starts).size, starts.length, 'a segment is stored twice');
  const found = await until(
    'the file is found',
    async () => {
      const answer = await api.search('onions', 'keyword');
      return answer.results.find(({ file_uuid: id }) => id === file.uuid);
    },
    jobLimitMs,
  );
  assert.equal(found.total_occurrences, 1, 'the passage is in the index twice');
}

export function killing({ instance, recordings }: Context, choice: Choice): Suite {
  let api: Client;
  let reference: FileDetail;
  const upload = async (title: string): Promise<string> => {
    const sent = await api.upload(recordings.brief.path, { title, allow_duplicate: 'true' });
    assert.equal(sent.status, 201, sent.text);
    return sent.body.uuid;
  };

  const killCheck = ([victim, moment]: Kill): Check => ({
    rule: `${victim} killed ${moment === 'accepted' ? 'after the upload was accepted' : `during ${moment}`}: the job completes, once`,
    run: async () => {
      const fileId = await upload(`${victim} at ${moment}`);
      await untilReached(api, fileId, moment);
      kill(instance, victim);
      await assertOnce(api, await api.completed(fileId), reference);
      await waitUntilReady(instance);
    },
    limitMs: 150_000,
  });

  return {
    name: 'Killed services and servers',
    checks: [
      {
        rule: 'an undisturbed job completes',
        run: async () => {
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          reference = await api.completed(await upload('undisturbed'));
        },
      },
      ...choose(kills, choice).map(killCheck),
      {
        rule: 'an acknowledged edit is preserved when PostgreSQL is killed',
        run: async () => {
          const [speaker] = reference.speakers;
          await api.send('PUT', `/api/speakers/${speaker?.uuid}`, { display_name: 'Ada' });
          kill(instance, 'postgres');
          await waitUntilReady(instance);
          const now = await api.file(reference.uuid);
          assert.ok(now.speakers.some(({ display_name: name }) => name === 'Ada'));
        },
        limitMs: 90_000,
      },
    ],
  };
}
