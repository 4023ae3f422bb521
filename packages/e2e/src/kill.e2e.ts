import assert from 'node:assert/strict';
import type { AnswerOf, dispatcherRoutes, FileDetail, Stage } from '@overtone/contracts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { until, type Check, type Suite } from './runner.ts';
import { pidOf, type Victim } from './victims.ts';

type Timeline = AnswerOf<typeof dispatcherRoutes.fileTimeline>;
/** When to strike: right after the upload was acknowledged, or while a stage is running. */
type Moment = 'accepted' | Stage;
type Strike = { victim: Victim; moments: readonly Moment[] };

const strikes: readonly Strike[] = [
  { victim: 'media', moments: ['accepted', 'transcribe'] },
  { victim: 'transcription-dispatcher', moments: ['accepted', 'diarize'] },
  { victim: 'transcription-worker', moments: ['transcribe'] },
  { victim: 'search-indexer', moments: ['diarize'] },
  { victim: 'nats', moments: ['accepted', 'transcribe'] },
  { victim: 'postgres', moments: ['accepted', 'transcribe'] },
];

const kill = (instance: Instance, victim: Victim): void => void process.kill(pidOf(instance, victim), 'SIGKILL');

const wordsOf = (file: FileDetail): string => file.transcript_segments.map((s) => s.text).join(' ');

const reached = async (api: Client, fileId: string, moment: Moment): Promise<void> => {
  if (moment === 'accepted') return;
  await until(
    `stage ${moment}`,
    async () => {
      const timeline = await api.ok<Timeline>('GET', `/api/tasks/files/${fileId}`);
      return timeline.stages.some((s) => s.stage === moment && s.status !== 'pending');
    },
    240_000,
    25,
  );
};

const allReady = (instance: Instance): Promise<true> =>
  until(
    'every service is ready again',
    async () => (await instance.status()).services.every((s) => s.ready) && (true as const),
    240_000,
    500,
  );

const assertOnce = async (api: Client, file: FileDetail, whole: FileDetail): Promise<void> => {
  assert.equal(wordsOf(file), wordsOf(whole), 'the transcript differs from the one made without a kill');
  assert.equal(file.total_segments, whole.total_segments);
  assert.equal(file.speakers.length, whole.speakers.length);
  const starts = file.transcript_segments.map((s) => s.start_time);
  assert.equal(new Set(starts).size, starts.length, 'a segment stands twice');
  const found = await until('the file is found', async () => {
    const answer = await api.search('onions', 'keyword');
    return answer.results.find((r) => r.file_uuid === file.uuid);
  });
  assert.equal(found.total_occurrences, 1, 'the passage stands twice in the index');
};

export const killing = ({ instance, recordings }: Context): Suite => {
  let api: Client;
  let whole: FileDetail;
  const upload = async (title: string): Promise<string> => {
    const sent = await api.upload(recordings.brief.path, { title, allow_duplicate: 'true' });
    assert.equal(sent.status, 201, sent.text);
    return sent.body.uuid;
  };

  const strikeAt = (victim: Victim, moment: Moment): Check => ({
    rule: `${victim} killed ${moment === 'accepted' ? 'after the upload was accepted' : `during ${moment}`}: the job completes, once`,
    run: async () => {
      const fileId = await upload(`${victim} at ${moment}`);
      await reached(api, fileId, moment);
      kill(instance, victim);
      await assertOnce(api, await api.completed(fileId), whole);
      await allReady(instance);
    },
    limitMs: 150_000,
  });

  return {
    name: 'Killed at any moment',
    checks: [
      {
        rule: 'a job that nobody disturbs completes',
        run: async () => {
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          whole = await api.completed(await upload('undisturbed'));
        },
      },
      ...strikes.flatMap(({ victim, moments }) => moments.map((moment) => strikeAt(victim, moment))),
      {
        rule: 'an acknowledged edit is there after PostgreSQL was killed',
        run: async () => {
          const [speaker] = whole.speakers;
          await api.send('PUT', `/api/speakers/${speaker?.uuid}`, { display_name: 'Ada' });
          kill(instance, 'postgres');
          await allReady(instance);
          const now = await api.file(whole.uuid);
          assert.ok(now.speakers.some((s) => s.display_name === 'Ada'));
        },
        limitMs: 90_000,
      },
    ],
  };
};
