import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultsOf, engineSettings, type EngineSettings, type GpuDevice } from '@overtone/contracts';
import { childEnvironment } from '../src/env.ts';
import { createWhisperRuntime, type WhisperOptions } from '../src/faster-whisper/runtime.ts';
import { createProcessors } from '../src/gpu/gpu.ts';
import { wishesOf } from '../src/gpu/tuning.ts';

const modules = fileURLToPath(new URL('./whisper-modules', import.meta.url));

/** A call that the recording modules received. */
export type Call = { call: string; pid: number } & Record<string, unknown>;

/** An environment whose Python has recording modules in place of faster-whisper. */
export async function makeEnvironment(folder: string): Promise<string> {
  const python = join(folder, 'speech', 'bin', 'python');
  await mkdir(join(folder, 'speech', 'bin'), { recursive: true });
  await writeFile(python, '#!/bin/sh\nexec python3 "$@"\n');
  await chmod(python, 0o755);
  return join(folder, 'speech');
}

/** An installed model with a manifest that has the hash of every file. */
export async function putModel(cacheDir: string, id = 'faster-whisper-base'): Promise<void> {
  const folder = join(cacheDir, 'asr', id);
  await mkdir(folder, { recursive: true });
  const files: Record<string, { path: string; sha256: string }> = {};
  for (const path of ['model.bin', 'config.json', 'tokenizer.json', 'vocabulary.txt']) {
    await writeFile(join(folder, path), path);
    files[path.split('.')[0] ?? path] = { path, sha256: createHash('sha256').update(path).digest('hex') };
  }
  const langs = /\.en$|distil/.test(id) ? ['en'] : [];
  const manifest = { id, kind: 'asr', family: 'faster-whisper', files, langs };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
}

export type FakeOptions = {
  settings?: Partial<EngineSettings>;
  device?: GpuDevice;
  pool?: WhisperOptions['pool'];
  env?: Record<string, string>;
  onGpuFull?: WhisperOptions['onGpuFull'];
};

/** A runtime over the recording modules; `calls` reads what they were asked. */
export function startRuntime(folder: string, { settings, device, pool = 'prefork', env, onGpuFull }: FakeOptions = {}) {
  const calls = join(folder, 'calls');
  const current: EngineSettings = { ...defaultsOf(engineSettings), ...settings };
  const processors = createProcessors({
    probe: { look: () => Promise.resolve({ devices: device ? [device] : [], note: null }) },
    wishes: () => wishesOf(current),
  });
  const runtime = createWhisperRuntime({
    modelCacheDir: join(folder, 'models'),
    allowUnverified: false,
    environment: join(folder, 'speech'),
    env: { ...childEnvironment(), PYTHONPATH: modules, FAKE_CALLS: calls, ...env },
    processors,
    settings: () => current,
    pool,
    ...(onGpuFull && { onGpuFull }),
  });
  const readCalls = async (call: string): Promise<Call[]> => {
    const text = await readFile(calls, 'utf8').catch(() => '');
    const all = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Call);
    return all.filter((entry) => entry.call === call);
  };
  return { runtime, processors, readCalls };
}
