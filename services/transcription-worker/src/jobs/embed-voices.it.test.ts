import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { voiceRpc, type RequestOf, type SpokenSpans, type VoiceVersion } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import { createLog } from '@overtone/service-kit';
import { encodeVector } from '@overtone/service-kit/vectors';
import { createFolder } from '@overtone/testkit/cleanup';
import { childEnvironment } from '../env.ts';
import { embedVoicesJob } from './embed-voices.job.ts';

const run = promisify(execFile);
const folder = await createFolder();
const store = createObjectStore({ OBJECT_STORE_DIR: join(folder, 'objects'), S3_REGION: 'x' });
const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const fileId = '7f0a8a3e-55a4-4f0a-8f0a-3a0a8a3e55a4';
const speakerIds = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const texts = [
  'The committee will discuss the plan for the new library on Tuesday, and everybody is invited to send questions before.',
  'Yesterday we measured the temperature of the water in both tanks, and the second one was warmer than we had expected.',
];

/** A recording of a text by each of the voices, with the spans of their speakers. */
async function record(...voices: string[]): Promise<{ source: string; speakers: SpokenSpans[] }> {
  const name = `${voices.join('-')}.wav`;
  const parts: string[] = [];
  const speakers: SpokenSpans[] = [];
  let at = 0;
  for (const [i, voice] of voices.entries()) {
    const [raw, part] = [join(folder, `raw-${i}-${name}`), join(folder, `part-${i}-${name}`)];
    await run('flite', ['-voice', voice, '-t', texts[i] ?? '', '-o', raw]);
    await run('sox', [raw, '-r', '16000', '-c', '1', part]);
    const { stdout } = await run('soxi', ['-D', part]);
    parts.push(part);
    speakers.push({ speakerId: speakerIds[i] ?? '', spans: [[at, at + Number(stdout)]] });
    at += Number(stdout);
  }
  const path = join(folder, name);
  await run('sox', [...parts, path]);
  const source = `files/${fileId}/${name}`;
  await store.put(source, await readFile(path));
  return { source, speakers };
}

type Claim = {
  source: string;
  speakers: SpokenSpans[];
  versions?: VoiceVersion[];
  workDir?: string;
  /** What the model returns; null: it is not installed. */
  neural?: Record<string, string> | null;
};
const workFolder = join(folder, 'work');

/** Runs the job against a fake of search-indexer. */
async function embed({ source, speakers, versions = ['v3', 'v4'], workDir = workFolder, neural = null }: Claim) {
  let completed: RequestOf<typeof voiceRpc.completeVoices> | undefined;
  let failed: RequestOf<typeof voiceRpc.failVoices> | undefined;
  const request = async ({ subject }: { subject: string }, body: unknown) => {
    if (subject === voiceRpc.claimVoices.subject) return { outcome: 'claimed', token: 3, source, versions, speakers };
    if (subject === voiceRpc.completeVoices.subject) completed = body as typeof completed;
    else failed = body as typeof failed;
    return { outcome: 'accepted' };
  };
  const env = { WORK_DIR: workDir, MAX_AUDIO_HOURS: 1 };
  await mkdir(workFolder, { recursive: true });
  const job = embedVoicesJob({
    env,
    childEnv: childEnvironment(),
    store,
    embedSpeakers: () => Promise.resolve(neural),
    computableVersions: () => Promise.resolve(neural ? ['v3', 'v4', 'v5'] : ['v3', 'v4']),
    bus: { request: request as never },
    log,
  });
  await job({ fileId }, { signal: new AbortController().signal, attempt: 1 });
  return {
    completed,
    failed,
    vectorsOf: (version: VoiceVersion) => completed?.voices.map(({ vectors }) => decode(vectors[version])) ?? [],
  };
}

function decode(encoded = ''): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(encoded, 'base64'));
  return new Float32Array(bytes.buffer);
}

function cosine(one: Float32Array = new Float32Array(), other: Float32Array = new Float32Array()): number {
  return one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);
}

describe('the job that embeds voices', () => {
  it('returns a vector of length 1 in every version for every speaker of a recording', async () => {
    const { completed, vectorsOf } = await embed(await record('slt', 'rms'));
    expect(completed).toMatchObject({ fileId, token: 3 });
    expect(completed?.voices.map(({ speakerId }) => speakerId)).toEqual(speakerIds);
    expect(vectorsOf('v3').map(({ length }) => length)).toEqual([512, 512]);
    expect(vectorsOf('v4').map(({ length }) => length)).toEqual([256, 256]);
    for (const vector of [...vectorsOf('v3'), ...vectorsOf('v4')]) expect(cosine(vector, vector)).toBeCloseTo(1, 4);
  });

  it.each(['v3', 'v4'] as const)('knows a voice again that says something else (%s)', async (version) => {
    const [slt, awb] = (await embed(await record('slt', 'awb'))).vectorsOf(version);
    const [otherAwb, otherSlt] = (await embed(await record('awb', 'slt'))).vectorsOf(version);
    expect(cosine(slt, otherSlt)).toBeGreaterThan(0.62);
    expect(cosine(awb, otherAwb)).toBeGreaterThan(0.62);
    expect(cosine(slt, otherAwb)).toBeLessThan(0.5);
    expect(cosine(awb, otherSlt)).toBeLessThan(0.5);
  });

  it('adds the embeddings of a model to those that need none', async () => {
    const vector = encodeVector(Float32Array.from([0.6, 0.8]));
    const neural = { [speakerIds[0] ?? '']: vector };
    const { completed, failed } = await embed({ ...(await record('slt', 'rms')), versions: ['v4', 'v5'], neural });
    expect(completed?.versions).toEqual(['v4', 'v5']);
    expect(completed?.voices.map(({ vectors }) => vectors.v5)).toEqual([vector, undefined]);
    expect(completed?.voices.every(({ vectors }) => vectors.v4)).toBe(true);
    expect(failed).toBeUndefined();
  });

  it('completes the other versions without the model, and is repeated for its own', async () => {
    const { completed, failed } = await embed({ ...(await record('slt', 'rms')), versions: ['v4', 'v5'] });
    expect(completed?.versions).toEqual(['v4']);
    expect(completed?.voices.map(({ vectors }) => Object.keys(vectors))).toEqual([['v4'], ['v4']]);
    expect(failed).toMatchObject({
      fileId,
      token: 3,
      message: 'The model campplus-zh-en is not installed on this worker.',
      permanent: false,
    });
  });

  it('reports nothing but the missing model when no version can be computed without it', async () => {
    const { completed, failed } = await embed({ ...(await record('slt')), versions: ['v5'] });
    expect(completed).toBeUndefined();
    expect(failed).toMatchObject({ permanent: false });
  });

  it('leaves out a speaker who speaks for less than two seconds', async () => {
    const { source, speakers } = await record('slt', 'kal');
    const [long, short] = speakers;
    const start = short?.spans[0]?.[0] ?? 0;
    const cut = [long!, { speakerId: speakerIds[1] ?? '', spans: [[start, start + 1]] as [number, number][] }];
    const { completed } = await embed({ source, speakers: cut });
    expect(completed?.voices.map(({ speakerId }) => speakerId)).toEqual([speakerIds[0]]);
  });

  it('reports a recording that cannot be read', async () => {
    const source = `files/${fileId}/broken`;
    await store.put(source, Buffer.from('not a recording'));
    const { completed, failed } = await embed({ source, speakers: [] });
    expect(completed).toBeUndefined();
    expect(failed).toMatchObject({ fileId, token: 3, permanent: true });
  });

  it('reports a failure of the worker itself, so that the recording is queued again', async () => {
    const { source } = await record('slt');
    const { failed } = await embed({ source, speakers: [], workDir: join(folder, 'missing') });
    expect(failed).toMatchObject({
      fileId,
      token: 3,
      message: expect.stringContaining('missing'),
      permanent: false,
    });
  });
});
