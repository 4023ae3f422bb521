import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import {
  mediaVoiceEvents,
  mediaVoiceRpc,
  voiceJobs,
  voiceRpc,
  voiceVersions,
  type SpeakerIndexAnswer,
  type VoiceVersion,
} from '@overtone/contracts';
import { worker } from '@overtone/jobs';
import { freePort, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { randomFrom, testSeed } from '@overtone/testkit/seed';
import { startSurroundings } from '../../test/world.ts';
import { createLanceSpeakers } from '../ports/lancedb-speakers.adapter.ts';

/** VOICE_FILES=500 are 1,000 speakers; VOICE_KILLS=20 is what the migration has to survive. */
const fileCount = Number(process.env['VOICE_FILES'] ?? 12);
const kills = Number(process.env['VOICE_KILLS'] ?? 2);
const limitMs = 120_000 + fileCount * 1_000 + kills * 20_000;
const persons = 7;
const random = randomFrom(testSeed);

type Recording = { fileId: string; speakers: { speakerId: string; person: number }[] };
const ownerId = randomUUID();
const recordings = new Map<string, Recording>();

const world = await startSurroundings();
const apiPort = await freePort();
const internalPort = await freePort();
let service: ChildProcess;
await startService();
const media = await world.connectAs('media');
const bus = await world.connectAs('transcription-worker');
/** Jobs of the worker that end without a result, as when its process is killed. */
let workerDeaths = 0;
media.serve(mediaVoiceRpc.voiceSource, async ({ fileId }) => {
  const recording = recordings.get(fileId);
  if (!recording) return { file: null };
  const speakers = recording.speakers.map(({ speakerId }) => ({ speakerId, spans: [[0, 10]] as [number, number][] }));
  return { file: { source: `files/${fileId}`, fingerprint: fileId, speakers } };
});
media.serve(mediaVoiceRpc.listVoiceFiles, async ({ after }) => ({
  enabled: true,
  files: after === null ? [...recordings.keys()].map((fileId) => ({ fileId, ownerId })) : [],
}));
const jobs = { embedVoices: { ...voiceJobs.embedVoices, policy: { ...voiceJobs.embedVoices.policy, backoffMs: 200 } } };
const running = worker(jobs, { embedVoices: embed }, { workerId: 'test', concurrency: { embedding: 2 } }).start(bus);
cleanUpAfterFile(async () => {
  await running.stop();
  await killService();
  await world.close();
});

async function startService(): Promise<void> {
  service = spawn(process.execPath, ['--no-warnings', join(import.meta.dirname, '../main.ts')], {
    env: { ...process.env, ...world.environment, API_PORT: String(apiPort), INTERNAL_PORT: String(internalPort) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await waitFor(async () => (await fetch(`http://127.0.0.1:${internalPort}/health/ready`)).ok || undefined);
}

async function killService(): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  service.kill('SIGKILL');
  await once(service, 'exit');
}

/** Does the work of a worker, and dies when it has to, before or after it has sent its result. */
async function embed({ fileId }: { fileId: string }): Promise<Record<string, never>> {
  const claimed = await bus.request(voiceRpc.claimVoices, { fileId });
  if (claimed.outcome === 'none') return {};
  const dies = workerDeaths > 0;
  if (dies) workerDeaths--;
  if (dies && random(2) === 0) throw new Error('killed before the result');
  const voices = (recordings.get(fileId)?.speakers ?? []).map(({ speakerId, person }) => ({
    speakerId,
    seconds: 10,
    vectors: Object.fromEntries(claimed.versions.map((version) => [version, encode(vectorOf(person, version))])),
  }));
  await bus.request(voiceRpc.completeVoices, { fileId, token: claimed.token, voices });
  if (dies) throw new Error('killed after the result');
  return {};
}

/** The voice of a person in one version: its direction differs from version to version. */
function vectorOf(person: number, version: VoiceVersion): Float32Array {
  const { dimension } = voiceVersions.find(({ name }) => name === version)!;
  const seed = version === 'v3' ? person + 1 : 100 + persons - person;
  const vector = Float32Array.from({ length: dimension }, (_, i) => Math.sin(seed * (i + 1) * 1.7));
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function encode(vector: Float32Array): string {
  return Buffer.from(vector.buffer).toString('base64');
}

function addRecording(): Recording {
  const number = recordings.size;
  const speakers = [number % persons, (number + 1) % persons].map((person) => ({ speakerId: randomUUID(), person }));
  const recording = { fileId: randomUUID(), speakers };
  recordings.set(recording.fileId, recording);
  return recording;
}

/** Undefined while the service is not there. */
function status(): Promise<SpeakerIndexAnswer | undefined> {
  return world.callAt(apiPort, '/api/search/speaker-index', { role: 'admin' }).then(
    ({ body }) => body as SpeakerIndexAnswer,
    () => undefined,
  );
}

function doneIn({ versions }: SpeakerIndexAnswer, version: VoiceVersion): number {
  return versions.find(({ name }) => name === version)?.files ?? 0;
}

it(
  'loses, repeats and mixes no speaker when processes are killed during a migration with searches and new recordings',
  async () => {
    for (let i = 0; i < fileCount; i++) addRecording();
    await world.emit(mediaVoiceEvents.allowedChanged, { allowed: true });
    const filled = async () =>
      ((await status()) ?? { versions: [] }).versions[0]?.files === recordings.size || undefined;
    await waitFor(filled, { timeoutMs: limitMs });
    const started = { method: 'POST', role: 'admin', body: { version: 'v4' } } as const;
    expect((await world.callAt(apiPort, '/api/search/speaker-index/migration', started)).status).toBe(202);
    const seen: Seen = { searches: 0, wrong: 0, states: [] };
    let isEnded = false;
    const searching = search(seen, () => isEnded);
    const killed = await killAtRandom();
    const switched = async () =>
      (await status())?.versions.find(({ state }) => state === 'current')?.name === 'v4' || undefined;
    await waitFor(switched, { timeoutMs: limitMs });
    // The searches see the switch a moment later.
    await waitFor(() => seen.states.length > 1 || undefined, { timeoutMs: limitMs });
    isEnded = true;
    await searching;
    const complete = async () => {
      const now = await status();
      return (now && (['v3', 'v4'] as const).every((version) => doneIn(now, version) === recordings.size)) || undefined;
    };
    await waitFor(complete, { timeoutMs: limitMs });
    expect(seen.searches).toBeGreaterThan(0);
    expect(seen.wrong).toBe(0);
    // The version that is read changes once, from one complete version to the other.
    expect(seen.states).toEqual(['current building', 'complete current']);
    await killService();
    for (const version of ['v3', 'v4'] as const) await expectExactly(version);
    process.stdout.write(
      `${recordings.size * 2} speakers, killed: ${killed.service} times the service, ${killed.worker} times a worker; ${seen.searches} searches\n`,
    );
  },
  limitMs * 3,
);

type Seen = { searches: number; wrong: number; states: string[] };

/** Compares speakers, and reads the states of the versions, until the migration ends. A service that is not there answers nothing. */
async function search(seen: Seen, isEnded: () => boolean): Promise<void> {
  const known = [...recordings.values()].slice(0, fileCount).flatMap(({ speakers }) => speakers);
  const groups = Array.from({ length: persons }, (_, person) => ({
    groupId: randomUUID(),
    speakerIds: known
      .filter((speaker) => speaker.person === person)
      .map(({ speakerId }) => speakerId)
      .slice(0, 20),
  }));
  while (!isEnded()) {
    const { speakerId, person } = known[random(known.length)]!;
    const request = { speakerIds: [speakerId], groups };
    const answer = await media.request(voiceRpc.compareVoices, request).catch(() => undefined);
    if (answer) {
      seen.searches++;
      // Vectors of two versions are at right angles, so that a mixed comparison would find another person or no match.
      const [best] = answer.matches;
      if (best === undefined || best.groupId !== groups[person]?.groupId || best.confidence < 0.95) seen.wrong++;
    }
    const now = await status();
    const states = now?.versions.map(({ state }) => state).join(' ');
    if (states !== undefined && states !== seen.states.at(-1)) seen.states.push(states);
    await sleep(20);
  }
}

/** Kills the service, or a worker, at random moments of the migration. A recording arrives before each of them. */
async function killAtRandom(): Promise<{ service: number; worker: number }> {
  const killed = { service: 0, worker: 0 };
  for (let i = 0; i < kills; i++) {
    const from = (fileCount * (i + random(100) / 100)) / kills;
    await waitFor(
      async () => {
        const now = await status();
        return (now && (doneIn(now, 'v4') >= from || now.migration === null)) || undefined;
      },
      { timeoutMs: limitMs },
    );
    await world.emit(mediaVoiceEvents.outdated, { fileId: addRecording().fileId, ownerId });
    await sleep(random(100));
    if (i % 3 === 2) {
      workerDeaths++;
      killed.worker++;
    } else {
      await killService();
      killed.service++;
      await startService();
    }
  }
  return killed;
}

/** Reads the table of a version itself: every speaker once, with its own vector. */
async function expectExactly(version: VoiceVersion): Promise<void> {
  const index = createLanceSpeakers({ directory: world.directory });
  const speakers = [...recordings.values()].flatMap((recording) => recording.speakers);
  const counts = await index.countByFile(version);
  expect(new Set(counts.keys())).toEqual(new Set(recordings.keys()));
  expect(new Set(counts.values())).toEqual(new Set([2]));
  const rows = await index.read(
    version,
    speakers.map(({ speakerId }) => speakerId),
  );
  const vectors = new Map(rows.map(({ speakerId, vector }) => [speakerId, encode(vector)]));
  expect(rows).toHaveLength(speakers.length);
  expect(
    speakers.filter(({ speakerId, person }) => vectors.get(speakerId) !== encode(vectorOf(person, version))),
  ).toEqual([]);
  await index.close();
}
