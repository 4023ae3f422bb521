import { join } from 'node:path';
import { defaultsOf, engineSettings, type EngineSettings } from '@overtone/contracts';
import { entryOf, pullModel, readCatalogue } from '@overtone/models';
import type { SpeechEngine } from '../src/engines/engines.ts';
import { childEnvironment, defaultSpeechEnvironment } from '../src/env.ts';
import { createFasterWhisper } from '../src/faster-whisper/engine.adapter.ts';
import { createWhisperRuntime } from '../src/faster-whisper/runtime.ts';
import { createProcessors } from '../src/gpu/gpu.ts';
import { wishesOf } from '../src/gpu/tuning.ts';

export type RealWhisper = 'faster-whisper-base' | 'faster-whisper-tiny.en';

/** Pulls a published model into the folder `models` of `root`. */
export async function pullWhisper(root: string, name: RealWhisper): Promise<void> {
  const entry = entryOf(await readCatalogue(), name);
  await pullModel({ cacheDir: join(root, 'models'), entry, acceptLicence: false });
}

/** The engine on the processor, with the settings of a fresh instance. */
export function startWhisper(root: string, changed: Partial<EngineSettings> = {}): SpeechEngine {
  const settings = { ...defaultsOf(engineSettings), ...changed };
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
