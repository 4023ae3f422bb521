import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { maskedAudioRpc, type RequestOf } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import { createLog } from '@overtone/service-kit';
import { createFolder } from '@overtone/testkit/cleanup';
import { childEnvironment } from '../env.ts';
import { maskAudioJob } from './mask-audio.job.ts';

const run = promisify(execFile);
const folder = await createFolder();
const store = createObjectStore({ OBJECT_STORE_DIR: join(folder, 'objects'), S3_REGION: 'x' });
const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const fileId = '7f0a8a3e-55a4-4f0a-8f0a-3a0a8a3e55a4';
const variant = 'b'.repeat(64);
const rate = 48_000;
const beepHertz = 1_000;
/** A frame of AAC. */
const soundFrame = 1_024 / rate;

/** Second n of the recordings has a tone and a gray of its own. */
const seconds = 10;
const toneStep = 110;
const grayStep = 20;
const tone = `0.5*sin(2*PI*(300+${toneStep}*floor(t))*t)`;
const tones = ['-f', 'lavfi', '-i', `aevalsrc='${tone}':d=${seconds}:s=${rate}`];
const gray = `geq=lum='30+${grayStep}*floor(T)':cb=128:cr=128`;
const grays = ['-f', 'lavfi', '-i', `color=black:s=64x48:r=10:d=${seconds},format=yuv420p,${gray}`];
/** Pictures have levels from 16 to 235, and decoded ones from 0 to 255. */
function secondOfGray(level: number): number {
  return Math.round((level * (219 / 255) + 16 - 30) / grayStep);
}
function toneOf(second: number): number {
  return 300 + toneStep * second;
}

type Clip = { kind: 'sound' | 'video'; start: number; end: number; masking: 'silence' | 'beep' | null };
type Range = [start: number, end: number];

async function storeRecording(name: string, args: string[]): Promise<string> {
  const path = join(folder, name);
  await run('ffmpeg', ['-v', 'error', '-y', ...args, path]);
  const key = `files/${fileId}/${name}`;
  await store.put(key, await readFile(path));
  return key;
}

/** Runs the job against a fake of media. */
async function cut(source: string, clip: Partial<Clip> = {}, ranges: Range[] = []) {
  const target = `derived/${fileId}/masked/${variant}-1`;
  let completed: RequestOf<typeof maskedAudioRpc.completeMaskedAudio> | undefined;
  let failed: RequestOf<typeof maskedAudioRpc.failMaskedAudio> | undefined;
  const wanted: Clip = { kind: 'sound', start: 3, end: 5, masking: null, ...clip };
  const request = async ({ subject }: { subject: string }, body: unknown) => {
    if (subject === maskedAudioRpc.claimMaskedAudio.subject)
      return { outcome: 'claimed', token: 1, mode: 'clip', clip: wanted, ranges, tracks: [0], source, target };
    if (subject === maskedAudioRpc.completeMaskedAudio.subject) completed = body as typeof completed;
    else failed = body as typeof failed;
    return { outcome: 'accepted' };
  };
  const env = { WORK_DIR: join(folder, 'work'), MAX_AUDIO_HOURS: 1 };
  await mkdir(env.WORK_DIR, { recursive: true });
  const job = maskAudioJob({ env, childEnv: childEnvironment(), store, bus: { request: request as never }, log });
  await job({ fileId, variant }, { signal: new AbortController().signal });
  const path = join(folder, 'clip');
  if (completed) await writeFile(path, await buffer((await store.get(target)).stream));
  return { completed, failed, path };
}

async function samplesOf(path: string): Promise<Float32Array> {
  const { stdout } = await run(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:a:0', '-ac', '1', '-ar', String(rate), '-f', 'f32le', 'pipe:1'],
    { encoding: 'buffer', maxBuffer: 1 << 27 },
  );
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + (stdout.length & ~3)));
}

/** The average gray of each picture. */
async function picturesOf(path: string): Promise<number[]> {
  const { stdout } = await run(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:v:0', '-vf', 'scale=1:1,format=gray', '-f', 'rawvideo', 'pipe:1'],
    { encoding: 'buffer' },
  );
  return [...stdout];
}

/** Length, start and codec of each stream, and the tags of the file. */
async function describeFile(path: string) {
  const entries = 'stream=codec_type,codec_name,start_time,duration:format_tags:stream_tags:chapter';
  const { stdout } = await run('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    entries,
    '-show_chapters',
    '-of',
    'json',
    path,
  ]);
  const { streams, chapters, format } = JSON.parse(stdout) as {
    streams: { codec_name: string; start_time: string; duration: string }[];
    chapters: unknown[];
    format: { tags?: Record<string, string> };
  };
  return { streams, chapters, text: JSON.stringify([streams, format.tags]) };
}

/** The tone of a part, by the strongest of all tones (Goertzel). */
function toneIn(samples: Float32Array, [start, end]: Range): number {
  const part = samples.subarray(Math.round(start * rate), Math.round(end * rate));
  const powerOf = (hertz: number): number => {
    const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / rate);
    let [previous, before] = [0, 0];
    for (const sample of part) [previous, before] = [sample + coefficient * previous - before, previous];
    return previous ** 2 + before ** 2 - coefficient * previous * before;
  };
  const candidates = [beepHertz, ...Array.from({ length: seconds }, (_, second) => toneOf(second))];
  return candidates.toSorted((left, right) => powerOf(right) - powerOf(left))[0] ?? 0;
}

const metadata = ['-metadata', 'title=Secret title', '-metadata', 'artist=Ada', '-metadata', 'location=+48.2+16.3/'];

describe('a clip of sound', () => {
  it.each([
    ['talk.wav', []],
    ['talk.mp3', ['-b:a', '64k']],
    ['variable.mp3', ['-q:a', '6', '-write_xing', '0']],
    ['talk.ogg', ['-c:a', 'libopus']],
    ['talk.m4a', ['-c:a', 'aac']],
    ['talk.flac', []],
  ])('of %s has the tones of its seconds and their length', async (name, args) => {
    const { completed, path } = await cut(await storeRecording(name, [...tones, ...args]));
    expect(completed).toMatchObject({ contentType: 'audio/mp4', bytes: expect.any(Number) });
    const { streams } = await describeFile(path);
    expect(streams.map((stream) => stream.codec_name)).toEqual(['aac']);
    expect(Math.abs(Number(streams[0]?.duration) - 2)).toBeLessThanOrEqual(soundFrame);
    const samples = await samplesOf(path);
    // The first sound of the second 3 and the last one of the second 4, up to what codecs delay.
    expect(toneIn(samples, [0, 0.05])).toBe(toneOf(3));
    expect(toneIn(samples, [0.92, 0.97])).toBe(toneOf(3));
    expect(toneIn(samples, [1.03, 1.08])).toBe(toneOf(4));
    expect(toneIn(samples, [1.93, 1.98])).toBe(toneOf(4));
  });

  it('ends with the recording', async () => {
    const { path } = await cut(await storeRecording('talk.wav', tones), { start: 9, end: 12 });
    const { streams } = await describeFile(path);
    expect(Math.abs(Number(streams[0]?.duration) - 1)).toBeLessThanOrEqual(soundFrame);
  });

  it('has a tone in place of what is masked in it, at the same times', async () => {
    const { path } = await cut(await storeRecording('talk.wav', tones), { masking: 'beep' }, [[3.5, 4.5]]);
    const samples = await samplesOf(path);
    expect(toneIn(samples, [0.1, 0.45])).toBe(toneOf(3));
    expect(toneIn(samples, [0.55, 1.45])).toBe(beepHertz);
    expect(toneIn(samples, [1.55, 1.9])).toBe(toneOf(4));
  });

  it('has no tags, chapters or pictures of the recording', async () => {
    const { path } = await cut(await storeRecording('film.mp4', [...tones, ...grays, ...metadata]));
    const { streams, chapters, text } = await describeFile(path);
    expect(streams).toHaveLength(1);
    expect(chapters).toEqual([]);
    expect(text).not.toMatch(/secret|ada|48\.2/i);
  });

  it('that cannot be made is reported', async () => {
    await store.put(`files/${fileId}/broken`, 'no recording');
    const { completed, failed } = await cut(`files/${fileId}/broken`);
    expect(completed).toBeUndefined();
    expect(failed).toMatchObject({ fileId, variant, token: 1 });
  });
});

describe('a clip of video', () => {
  // Ten pictures per second, from 3.5 to 5.5 s.
  const halves = [3, 4, 4, 5].flatMap((second) => Array.from({ length: 5 }, () => second));
  it.each([
    ['film.mp4', ['-c:v', 'libx264', '-c:a', 'aac', '-g', '250']],
    ['film.webm', ['-c:v', 'libvpx', '-c:a', 'libopus', '-g', '250']],
    // Times in it begin at 1.4 s.
    ['film.ts', ['-c:v', 'libx264', '-c:a', 'aac', '-g', '250']],
    // A picture for each second, as a recording of slides has: the clip begins with the one that is seen at its start.
    ['slides.mkv', ['-c:v', 'libx264', '-c:a', 'aac', '-vf', 'fps=1', '-vsync', 'vfr']],
  ])('of %s has the pictures and the sound of its part', async (name, args) => {
    const source = await storeRecording(name, [...tones, ...grays, ...args]);
    const { completed, path } = await cut(source, { kind: 'video', start: 3.5, end: 5.5 });
    expect(completed).toMatchObject({ contentType: 'video/mp4' });
    const { streams } = await describeFile(path);
    expect(streams.map((stream) => stream.codec_name).toSorted()).toEqual(['aac', 'h264']);
    for (const { codec_name: codec, start_time: start, duration } of streams) {
      expect(Number(start)).toBe(0);
      expect(Math.abs(Number(duration) - 2)).toBeLessThanOrEqual(codec === 'aac' ? soundFrame : 1);
    }
    const pictures = await picturesOf(path);
    const shown = name === 'slides.mkv' ? [3, 4] : halves;
    expect(pictures.map(secondOfGray)).toEqual(shown);
    const samples = await samplesOf(path);
    expect(toneIn(samples, [0.05, 0.45])).toBe(toneOf(3));
    expect(toneIn(samples, [0.55, 1.45])).toBe(toneOf(4));
    expect(toneIn(samples, [1.55, 1.9])).toBe(toneOf(5));
  });

  it('far from the start of the recording has the pictures and the sound of its part', async () => {
    const length = 'd=50';
    const sound = [
      '-f',
      'lavfi',
      '-i',
      `aevalsrc='0.5*sin(2*PI*(300+${toneStep}*mod(floor(t),10))*t)':${length}:s=${rate}`,
    ];
    const fill = `geq=lum='30+${grayStep}*mod(floor(T),10)':cb=128:cr=128`;
    const pictures = ['-f', 'lavfi', '-i', `color=black:s=64x48:r=10:${length},format=yuv420p,${fill}`];
    const key = await storeRecording('long.mp4', [
      ...sound,
      ...pictures,
      '-c:v',
      'libx264',
      '-c:a',
      'aac',
      '-g',
      '250',
    ]);
    const { path } = await cut(key, { kind: 'video', start: 43.5, end: 45.5 });
    expect((await picturesOf(path)).map(secondOfGray)).toEqual(halves);
    const samples = await samplesOf(path);
    expect(toneIn(samples, [0.05, 0.45])).toBe(toneOf(3));
    expect(toneIn(samples, [1.55, 1.9])).toBe(toneOf(5));
  });

  it('of a recording without pictures is reported', async () => {
    const { failed } = await cut(await storeRecording('talk.wav', tones), { kind: 'video' });
    expect(failed).toMatchObject({ fileId, variant, token: 1 });
  });
});
