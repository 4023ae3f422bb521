import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { maskedAudioRpc, type RequestOf } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import { createLog } from '@overtone/service-kit';
import { createFolder } from '@overtone/testkit/cleanup';
import { buffer } from 'node:stream/consumers';
import { childEnvironment } from '../env.ts';
import { maskAudioJob } from './mask-audio.job.ts';

const run = promisify(execFile);
const folder = await createFolder();
const store = createObjectStore({ OBJECT_STORE_DIR: join(folder, 'objects'), S3_REGION: 'x' });
const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const fileId = '7f0a8a3e-55a4-4f0a-8f0a-3a0a8a3e55a4';
const variant = 'a'.repeat(64);
const input = { fileId, variant };
const rate = 48_000;
/** In the recordings of these tests a voice is a tone of 440 Hz from the beginning to the end. */
const speechHertz = 440;
const beepHertz = 1_000;

type Mode = 'silence' | 'beep' | 'playback';
type Range = [start: number, end: number];

type Recording = { inputs?: string[]; args?: string[] };

async function storeRecording(name: string, { inputs = [], args = [] }: Recording = {}): Promise<string> {
  const path = join(folder, name);
  const voice = ['-f', 'lavfi', '-i', `sine=frequency=${speechHertz}:duration=10:sample_rate=${rate}`];
  await run('ffmpeg', ['-v', 'error', '-y', ...voice, ...inputs, ...args, path]);
  const key = `files/${fileId}/${name}`;
  await store.put(key, await readFile(path));
  return key;
}

/** Runs the job against a fake of media. */
async function mask(source: string, mode: Mode, ranges: Range[], tracks = [0]) {
  const target = `derived/${fileId}/masked/${variant}-1`;
  let completed: RequestOf<typeof maskedAudioRpc.completeMaskedAudio> | undefined;
  let failed: RequestOf<typeof maskedAudioRpc.failMaskedAudio> | undefined;
  const request = async ({ subject }: { subject: string }, body: unknown) => {
    if (subject === maskedAudioRpc.claimMaskedAudio.subject)
      return { outcome: 'claimed', token: 1, mode, ranges, tracks, source, target };
    if (subject === maskedAudioRpc.completeMaskedAudio.subject) completed = body as typeof completed;
    else failed = body as typeof failed;
    return { outcome: 'accepted' };
  };
  const env = { WORK_DIR: join(folder, 'work'), MAX_AUDIO_HOURS: 1 };
  await mkdir(env.WORK_DIR, { recursive: true });
  const job = maskAudioJob({ env, childEnv: childEnvironment(), store, bus: { request: request as never }, log });
  await job(input, { signal: new AbortController().signal });
  return { completed, failed, target };
}

/** The samples of an object, one channel. */
async function samplesOf(key: string): Promise<Float32Array> {
  const path = join(folder, 'decoded');
  await writeFile(path, await buffer((await store.get(key)).stream));
  const { stdout } = await run(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:a:0', '-ac', '1', '-ar', String(rate), '-f', 'f32le', 'pipe:1'],
    { encoding: 'buffer', maxBuffer: 1 << 27 },
  );
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + (stdout.length & ~3)));
}

/** The amplitude of a tone between two times, by the algorithm of Goertzel. */
function amplitudeOf(samples: Float32Array, hertz: number, [start, end]: Range): number {
  const part = samples.subarray(Math.round(start * rate), Math.round(end * rate));
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / rate);
  let [previous, before] = [0, 0];
  for (const sample of part) [previous, before] = [sample + coefficient * previous - before, previous];
  const power = previous ** 2 + before ** 2 - coefficient * previous * before;
  return (2 * Math.sqrt(Math.max(0, power))) / part.length;
}

const picture = ['-f', 'lavfi', '-i', 'testsrc=size=320x240:duration=10:rate=5'];
const wav = await storeRecording('talk.wav');
const ranges: Range[] = [
  [2, 3],
  [5.5, 6.25],
];
const outside: Range[] = [
  [0, 1.98],
  [3.02, 5.48],
  [6.27, 9.9],
];
const original = await samplesOf(wav);
const voice = amplitudeOf(original, speechHertz, [0, 1]);

describe('a playback copy', () => {
  it.each<[string, Recording, string]>([
    ['talk.aiff', {}, 'audio/webm'],
    ['talk.wma', { args: ['-c:a', 'wmav2'] }, 'audio/webm'],
    ['alac.m4a', { args: ['-c:a', 'alac'] }, 'audio/webm'],
    ['film.avi', { inputs: picture, args: ['-c:a', 'mp3', '-c:v', 'mpeg4'] }, 'video/mp4'],
    ['film.mpg', { inputs: picture, args: ['-c:a', 'mp2', '-c:v', 'mpeg2video', '-r', '25'] }, 'video/mp4'],
    ['film.mov', { inputs: picture, args: ['-c:a', 'aac', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'] }, 'video/mp4'],
  ])('has the sound of %s at the same times', async (name, recording, contentType) => {
    const { target, completed } = await mask(await storeRecording(name, recording), 'playback', []);
    expect(completed).toMatchObject({ contentType, bytes: expect.any(Number) });
    const samples = await samplesOf(target);
    expect(Math.abs(samples.length / rate - 10)).toBeLessThan(0.2);
    expect(amplitudeOf(samples, speechHertz, [1, 9])).toBeGreaterThan(voice * 0.9);
  });

  it('has the sound of all transcribed tracks', async () => {
    const other = ['-f', 'lavfi', '-i', `sine=frequency=${beepHertz}:duration=10:sample_rate=${rate}`];
    const key = await storeRecording('two.mkv', { inputs: other, args: ['-map', '0', '-map', '1', '-c:a', 'aac'] });
    for (const [tracks, expected] of [
      [[1], [false, true]],
      [
        [0, 1],
        [true, true],
      ],
    ] as const) {
      const { target } = await mask(key, 'playback', [], [...tracks]);
      const samples = await samplesOf(target);
      const audible = [speechHertz, beepHertz].map((hertz) => amplitudeOf(samples, hertz, [1, 9]) > voice * 0.5);
      expect(audible).toEqual(expected);
    }
  });
});

describe('a masked copy', () => {
  it.each(ranges)('has a tone of 1 kHz and no speech between %d and %d s', async (...range) => {
    const { target } = await mask(wav, 'beep', ranges);
    const samples = await samplesOf(target);
    expect(amplitudeOf(samples, beepHertz, range)).toBeGreaterThan(0.1);
    expect(amplitudeOf(samples, speechHertz, range)).toBeLessThan(voice / 1_000);
  });

  it('is silent in the masked parts when the policy says so', async () => {
    const { target, completed } = await mask(wav, 'silence', ranges);
    expect(completed).toEqual({ ...input, token: 1, contentType: 'audio/flac', bytes: expect.any(Number) });
    const samples = await samplesOf(target);
    for (const [start, end] of ranges)
      expect(samples.subarray(start * rate, end * rate).every((sample) => sample === 0)).toBe(true);
  });

  it.each(['silence', 'beep'] as const)('is the recording itself outside of the masked parts: %s', async (mode) => {
    const { target } = await mask(wav, mode, ranges);
    const samples = await samplesOf(target);
    expect(Math.abs(samples.length - original.length)).toBeLessThan(rate / 100);
    for (const [start, end] of outside) {
      const from = Math.round(start * rate);
      const differences = samples
        .subarray(from, Math.round(end * rate))
        .map((sample, i) => Math.abs(sample - (original[from + i] ?? 0)));
      // A step of 16 bits, and one of its rounding.
      expect(differences.toSorted().at(-1)).toBeLessThanOrEqual(2 / 32_768);
    }
  });

  it.each<[string, Recording, string]>([
    ['talk.mp3', {}, 'audio/mp4'],
    ['talk.ogg', { args: ['-c:a', 'libopus'] }, 'audio/mp4'],
    ['film.mp4', { inputs: picture, args: ['-c:a', 'aac', '-c:v', 'libx264'] }, 'video/mp4'],
    ['film.webm', { inputs: picture, args: ['-c:a', 'libopus', '-c:v', 'libvpx'] }, 'video/webm'],
  ])('is made of %s', async (name, recording, contentType) => {
    const key = await storeRecording(name, recording);
    const { target, completed } = await mask(key, 'beep', ranges);
    expect(completed?.contentType).toBe(contentType);
    const samples = await samplesOf(target);
    for (const range of ranges) {
      expect(amplitudeOf(samples, beepHertz, range)).toBeGreaterThan(0.1);
      expect(amplitudeOf(samples, speechHertz, range)).toBeLessThan(voice / 100);
    }
    for (const range of outside) expect(amplitudeOf(samples, speechHertz, range)).toBeGreaterThan(voice * 0.9);
  });

  it('has no tag, no subtitle and no other audio stream of the recording', async () => {
    const subtitle = join(folder, 'talk.srt');
    await writeFile(subtitle, '1\n00:00:02,000 --> 00:00:03,000\n4111 1111 1111 1111\n');
    const streams = ['0', '0', '1'].flatMap((input) => ['-map', input]);
    const key = await storeRecording('tagged.mkv', {
      inputs: ['-i', subtitle],
      args: [...streams, '-metadata', 'title=Zebulon'],
    });
    const { target } = await mask(key, 'beep', ranges);
    const path = join(folder, 'tagged');
    const bytes = await buffer((await store.get(target)).stream);
    await writeFile(path, bytes);
    const { stdout } = await run('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'stream=codec_type',
      '-of',
      'csv=p=0',
      path,
    ]);
    expect(stdout.trim()).toBe('audio');
    expect(bytes.includes('Zebulon')).toBe(false);
    expect(bytes.includes('4111')).toBe(false);
  });

  it('can have thousands of masked parts', async () => {
    const many = Array.from({ length: 3_000 }, (_, i): Range => [i / 400, i / 400 + 0.001]);
    const { target } = await mask(wav, 'silence', many);
    const samples = await samplesOf(target);
    expect(amplitudeOf(samples, speechHertz, [0, 7.4])).toBeLessThan(voice / 1_000);
    expect(amplitudeOf(samples, speechHertz, [7.6, 9.9])).toBeGreaterThan(voice * 0.9);
  });

  it('is reported as impossible for a recording that cannot be read', async () => {
    const key = `files/${fileId}/broken`;
    await store.put(key, 'no recording at all');
    const { completed, failed } = await mask(key, 'beep', ranges);
    expect(completed).toBeUndefined();
    expect(failed).toMatchObject({ ...input, token: 1 });
  });
});
