import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { defaultsOf, engineSettings } from '@overtone/contracts';
import { entryOf, pullModel, readCatalogue } from '@overtone/models';
import { conversationOfReaders, countWords } from '../../bench/diarization.bench.ts';
import { conditions, degrade } from '../../bench/rooms.ts';
import { wavSeconds } from '../audio/wav.ts';
import { createAcousticDiarizer } from '../diarization/acoustic.adapter.ts';
import { childEnvironment } from '../env.ts';
import { createProcessors } from '../gpu/gpu.ts';
import { wishesOf } from '../gpu/tuning.ts';
import { createNeuralDiarizer } from './diarizer.adapter.ts';
import { createSherpaRuntime, type SherpaRuntime } from './runtime.ts';
import { useOf } from './sherpa.ts';

// On a slow machine, loading a model or reading a conversation takes minutes.
jest.setTimeout(3_600_000);
let root = '';
let runtime: SherpaRuntime;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'readers-'));
  const cacheDir = join(root, 'models');
  const catalogue = await readCatalogue();
  for (const name of ['pyannote-segmentation-3.0', 'campplus-zh-en'])
    await pullModel({ cacheDir, entry: entryOf(catalogue, name), keepPackages: true, acceptLicence: false });
  const settings = defaultsOf(engineSettings);
  runtime = createSherpaRuntime({
    modelCacheDir: cacheDir,
    allowUnverified: false,
    env: childEnvironment(),
    processors: createProcessors({
      probe: { look: () => Promise.resolve({ devices: [], note: null }) },
      wishes: () => wishesOf(settings),
    }),
    pool: 'prefork',
    use: () => useOf(settings, { largestBatch: () => 1 }),
  });
});
afterAll(async () => {
  runtime.close();
  await rm(root, { recursive: true, force: true });
});

describe('a conversation of real readers in a quiet room', () => {
  // The index chooses the readers and their order.
  it.each([
    [2, 0],
    [2, 1],
    [3, 4],
    [4, 7],
  ])('of %i people has as many speakers, and their words', async (speakers, index) => {
    const [clean] = conditions;
    if (!clean) throw new Error('there is no condition');
    const conversation = await conversationOfReaders(index, speakers, clean, root);
    const wavPath = join(root, 'conversation.wav');
    await writeFile(wavPath, degrade(conversation, clean, 900 + index, null));
    const seconds = await wavSeconds(wavPath);
    const diarizer = createNeuralDiarizer(runtime, createAcousticDiarizer({ env: childEnvironment() }));
    const { turns, provider } = await diarizer.diarize({ wavPath, seconds, minSpeakers: null, maxSpeakers: null });
    const found = turns.map((turn) => ({ ...turn, speaker: String(turn.speaker) }));
    const { right, words } = countWords(conversation, found);
    expect(provider).toBe('sherpa-onnx');
    expect(new Set(found.map(({ speaker }) => speaker)).size).toBe(speakers);
    expect(right / words).toBeGreaterThanOrEqual(0.95);
  });
});
