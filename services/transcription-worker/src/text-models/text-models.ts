import { createHash } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { readVerification, textFamilies, textKinds, type TextKind } from '@overtone/models';
import { unavailable, type Log, type Part } from '@overtone/service-kit';
import type { z } from 'zod';
import { createTaskChildren, type TaskChildren } from '../children/task-child.ts';
import { createModelStore, type Model } from '../models/models.ts';
import { embedResult, namesResult, type ModelFiles, type TextTask } from './protocol.ts';

export type TextModels = {
  /**
   * Names of the installed models with what identifies their content; the current one first.
   * @throws AppError unavailable when the folder of models cannot be read.
   */
  names: (kind: TextKind) => Promise<string[]>;
  /** @throws AppError unavailable when the model is not installed, was changed, or fails. */
  embed: (model: string, texts: readonly string[], kind: 'query' | 'document') => Promise<z.infer<typeof embedResult>>;
  /** The names of people in consecutive texts, as ranges of characters. @throws AppError unavailable, as above. */
  findNames: (model: string, texts: readonly string[]) => Promise<z.infer<typeof namesResult>>;
  part: Part;
};
type Options = { modelCacheDir: string; allowUnverified: boolean; env: Record<string, string>; log: Log };
type Installed = { name: string; model: Model; verifiedAt: string };

const lookEveryMs = 5_000;
const taskTimeoutMs = 55_000;
// A query does not wait for a model to be loaded, so the process with the sentence model stays.
const sentencesIdleMs = 24 * 3_600_000;
const namesIdleMs = 60_000;
const recycleAfter = 10_000;
/** Models of text need no GPU. */
const tuning = { compute_type: 'int8', transcribe_on: 'cpu', diarize_on: 'cpu' } as const;

/** Runs the verified ONNX models of text in child processes, on the CPU. The model that was installed last is the current one. */
export function createTextModels({ modelCacheDir, allowUnverified, env, log }: Options): TextModels {
  const script = new URL('./text-model.child.ts', import.meta.url);
  const childrenOf = (idleMs: number): TaskChildren =>
    createTaskChildren({ script, env, heapMb: 1_024, idleMs, recycleAfter, tasksAtOnce: 8 });
  const children = { sentences: childrenOf(sentencesIdleMs), names: childrenOf(namesIdleMs) };
  const store = createModelStore({
    cacheDir: modelCacheDir,
    kinds: textKinds,
    families: textFamilies,
    allowUnverified,
    tuningOf: () => tuning,
    // A model that does not load fails at its use, and is tried again then.
    canary: async () => {},
  });
  let installed: Promise<Installed[]> | undefined;
  let lookedAt = 0;

  const look = (): Promise<Installed[]> => {
    if (installed && Date.now() - lookedAt < lookEveryMs) return installed;
    lookedAt = Date.now();
    installed = requireFolder(modelCacheDir)
      .then(() => store.look())
      .then(listUsable);
    installed.catch(() => (installed = undefined));
    return installed;
  };
  const ofKind = async (kind: TextKind): Promise<Installed[]> =>
    (await look()).filter(({ model }) => model.manifest.kind === kind);

  const run = async (kind: TextKind, name: string, taskOf: (model: ModelFiles) => TextTask): Promise<unknown> => {
    const found = (await ofKind(kind)).find((candidate) => candidate.name === name);
    if (!found) throw unavailable('service_unavailable', 'The text model is not installed', { detail: name });
    const { manifest, folder, state, why } = found.model;
    if (state === 'refused') {
      log.warn({ model: name, reason: why }, 'text model refused');
      throw unavailable('model_invalid', 'The text model was changed after its verification', {
        detail: `${name}: ${why}`,
      });
    }
    try {
      const input = taskOf({ id: manifest.id, folder, files: manifest.files });
      return await children[kind].run({ input, timeoutMs: taskTimeoutMs });
    } catch (error) {
      log.warn({ err: error as Error, model: name }, 'text model failed');
      throw unavailable('model_invalid', 'The text model failed', { cause: error });
    }
  };

  return {
    names: async (kind) => (await ofKind(kind)).map(({ name }) => name),
    embed: async (name, texts, kind) =>
      embedResult.parse(await run('sentences', name, (model) => ({ task: 'embed', model, texts: [...texts], kind }))),
    findNames: async (name, texts) =>
      namesResult.parse(await run('names', name, (model) => ({ task: 'find-names', model, texts: [...texts] }))),
    part: {
      name: 'text models',
      start: async () => {},
      stop: async () => {
        for (const one of Object.values(children)) one.close();
      },
    },
  };
}

/** A folder that is not mounted is not one without models: without its names model, names would be shown. */
async function requireFolder(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw unavailable('service_unavailable', 'The folder of models cannot be read', { cause });
  });
}

/** The models that were verified once, the last one first. One that differs from its verification stays listed, and fails. */
async function listUsable(models: readonly Model[]): Promise<Installed[]> {
  const usable: Installed[] = [];
  for (const model of models) {
    const record = await readVerification(model.folder);
    if (!record && model.state !== 'canary-ok') continue;
    const content = record
      ? Object.entries(record.files).map(([path, { sha256 }]) => `${path}:${sha256}`)
      : model.fingerprint;
    const hash = createHash('sha256').update(String(content)).digest('hex').slice(0, 12);
    usable.push({ name: `${model.manifest.id}@${hash}`, model, verifiedAt: record?.verified_at ?? '' });
  }
  return usable.sort((x, y) => (x.verifiedAt < y.verifiedAt ? 1 : -1));
}
