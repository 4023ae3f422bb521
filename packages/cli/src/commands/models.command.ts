import {
  importModel,
  listInstalled,
  ModelError,
  modelBytes,
  modelKinds,
  entryOf,
  pullModel,
  readMachine,
  readCatalogue,
  removeModel,
  suggestModel,
  transferBytes,
  verifyModel,
  type CatalogueEntry,
  type Evaluation,
  type InstalledModel,
  type Machine,
} from '@overtone/models';
import { dataFolder } from '../paths.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { missingPackages, productPackages } from '../setup/packages.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

type DataOption = { readonly data?: string };

/** The folder whose models the workers of this instance load. */
export function modelFolder(data?: string): string {
  return process.env['MODEL_CACHE_DIR'] ?? dataFolder(data).models;
}

/** Prints the installed models, those of the catalogue, and what would suit this machine. */
export async function listModels(options: DataOption & { readonly json?: boolean }): Promise<void> {
  const terminal = createTerminal();
  const folder = modelFolder(options.data);
  const [installed, catalogue] = await refuseModelErrors(() => Promise.all([listInstalled(folder), catalogueOf()]));
  if (options.json === true) {
    terminal.line(JSON.stringify({ folder, installed, catalogue }, null, 2));
    return;
  }
  terminal.line(`Models in ${folder}:`);
  for (const model of installed) {
    const text = `${model.name.padEnd(40)} ${model.kind.padEnd(12)} ${size(model.bytes).padStart(10)}  ${stateText(model)}`;
    (model.fault === null ? terminal.done : terminal.warn)(text);
    if (model.evaluation) terminal.line(`    ${figures(model.evaluation)}`);
  }
  if (installed.length === 0) terminal.warn('none');
  terminal.line();
  terminal.line('In the catalogue (./overtone models pull NAME):');
  for (const entry of catalogue) terminal.line(`  ${describe(entry)}`);
  terminal.line();
  for (const line of (await hintOf(installed, catalogue))?.lines ?? []) terminal.line(line);
  const endpoint = process.env['ASR_OPENAI_BASE_URL'];
  if (endpoint !== undefined) terminal.done(`endpoint for transcription: ${endpoint}`);
  const pocketSphinx = !missingPackages(productPackages).some((name) => name.startsWith('pocketsphinx'));
  if (pocketSphinx) terminal.done('PocketSphinx with its English model, from the distribution');
  else terminal.warn('PocketSphinx is not installed; see: ./overtone doctor');
}

/** Downloads a model of the catalogue, verifies and installs it. */
export async function pull(name: string, options: DataOption & { readonly acceptLicence?: boolean }): Promise<void> {
  const terminal = createTerminal();
  const aborter = new AbortController();
  const stop = () => aborter.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  await refuseModelErrors(async () => {
    const entry = entryOf(await catalogueOf(), name);
    const acceptLicence = options.acceptLicence === true;
    await pullEntry(entry, { cacheDir: modelFolder(options.data), acceptLicence, signal: aborter.signal, terminal });
  });
}

type PullOfEntry = { cacheDir: string; acceptLicence: boolean; signal: AbortSignal; terminal: Terminal };

/** Downloads, verifies and installs a model with its progress on the terminal. Throws `ModelError`. */
async function pullEntry(
  entry: CatalogueEntry,
  { cacheDir, acceptLicence, signal, terminal }: PullOfEntry,
): Promise<void> {
  const { name } = entry;
  terminal.step(`${name}: ${size(transferBytes(entry))} to download`);
  const outcome = await pullModel({
    cacheDir,
    entry,
    mirror: process.env['OT_MODEL_MIRROR'],
    allowedRanges: process.env['OT_OUTBOUND_ALLOWED_RANGES'],
    proxied: process.env['NODE_USE_ENV_PROXY'] === '1',
    acceptLicence,
    signal,
    onProgress: (received, total) =>
      terminal.busy(`${name}: ${size(received)} of ${size(total)}, ${Math.floor((received / total) * 100)} %`),
  });
  terminal.done(outcome === 'present' ? `${name} is installed and verified already` : `${name} is installed`);
}

/** Hashes the files of one model, or of all, and compares them. Exit code 1 when one differs. */
export async function verify(name: string | undefined, options: DataOption): Promise<void> {
  const terminal = createTerminal();
  const folder = modelFolder(options.data);
  const names = name === undefined ? (await listInstalled(folder)).map((model) => model.name) : [name];
  if (names.length === 0) terminal.warn(`there are no models in ${folder}`);
  for (const one of names) {
    terminal.busy(`hashing ${one}`);
    const { fault, recorded } = await refuseModelErrors(() => verifyModel(folder, one));
    if (fault === null) terminal.done(recorded ? `${one}: hashes recorded, it can be used now` : `${one}: unchanged`);
    else {
      terminal.fail(`${one}: ${fault}`);
      process.exitCode = 1;
    }
  }
}

/** Deletes a model, and an interrupted pull of it. */
export async function remove(name: string, options: DataOption): Promise<void> {
  const folder = modelFolder(options.data);
  await refuseModelErrors(() => removeModel(folder, name));
  createTerminal().done(`${name} was removed`);
}

/** Copies a model from a folder, and records its hashes. */
export async function importFolder(
  from: string,
  options: DataOption & { readonly kind?: string; readonly name?: string },
): Promise<void> {
  const kind = modelKinds.find((candidate) => candidate === options.kind);
  if (options.kind !== undefined && !kind) throw new Refusal(`--kind is one of: ${modelKinds.join(', ')}.`);
  const terminal = createTerminal();
  terminal.busy(`importing ${from}`);
  const done = await refuseModelErrors(() =>
    importModel({ cacheDir: modelFolder(options.data), from, kind, name: options.name }),
  );
  terminal.done(`${done.name} is installed (${done.kind})`);
}

/** Which speech model to install. `entry`: of the catalogue; null: the catalogue has none that fits. */
export type SpeechModelHint = {
  readonly lines: readonly string[];
  readonly entry: CatalogueEntry | null;
  readonly command: string;
};

/**
 * What `up` and `doctor` say of the speech models. `hint` undefined: a speech model is installed and verified.
 * `catalogueFault`: why the catalogue cannot be read, with its file; null: it can be read.
 */
export async function speechModelHint(
  folder: string,
): Promise<{ hint: SpeechModelHint | undefined; catalogueFault: string | null }> {
  const [installed, catalogue] = await Promise.all([listInstalled(folder), catalogueOf().catch(messageOf)]);
  if (typeof catalogue === 'string') return { hint: await hintOf(installed, null), catalogueFault: catalogue };
  return { hint: await hintOf(installed, catalogue), catalogueFault: null };
}

async function hintOf(
  installed: readonly InstalledModel[],
  catalogue: readonly CatalogueEntry[] | null,
): Promise<SpeechModelHint | undefined> {
  const speechModels = installed.filter(({ kind }) => kind === 'asr');
  if (speechModels.some(({ fault }) => fault === null)) return undefined;
  const machine = await readMachine();
  const { text, entry } = suggestModel(machine, catalogue ?? []);
  const unverified = speechModels.map(({ name, fault }) => `The speech model ${name} is not used: ${fault}`);
  const suggestion = `Speech models that suit this machine (${machineText(machine)}): ${text}.`;
  const command = catalogue
    ? commandFor(entry)
    : 'Correct the catalogue, or unset OT_MODEL_CATALOGUE. Then: ./overtone models list';
  return { lines: [...unverified, suggestion, command], entry, command };
}

function commandFor(entry: CatalogueEntry | null): string {
  return entry
    ? `Fetch one with: ./overtone models pull ${entry.name}${entry.licence.acceptance ? ' --accept-licence' : ''}`
    : 'The catalogue has none with a verified hash; docs/models.md names addresses. Then: ./overtone models import FOLDER';
}

function machineText({ cores, memoryBytes, gpuMemoryMib }: Machine): string {
  const gpu = gpuMemoryMib === null ? 'no GPU' : `a GPU with ${size(gpuMemoryMib * 1024 ** 2)}`;
  return `${cores} ${cores === 1 ? 'core' : 'cores'}, ${size(memoryBytes)} of memory, ${gpu}`;
}

function catalogueOf(): Promise<CatalogueEntry[]> {
  return readCatalogue(process.env['OT_MODEL_CATALOGUE']);
}

/** An expected failure of the model folder, as one line of the terminal. */
export async function refuseModelErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const hint = error.code === 'licence_required' ? ' Accept it with --accept-licence.' : '';
    throw new Refusal(error.message + hint, { cause: error });
  }
}

function stateText({ fault, origin, verified_at: at }: InstalledModel): string {
  if (fault !== null) return `not used: ${fault}`;
  return origin === null || at === null ? 'hashes in its manifest' : `verified ${at.slice(0, 10)} (${origin})`;
}

function describe(entry: CatalogueEntry): string {
  const { name, title, kind, languages, licence, purpose, memory_mib: memory, cpu_real_time_factor: factor } = entry;
  const facts = [
    kind,
    languages.length > 0 ? languages.join(' ') : 'any language',
    `${size(modelBytes(entry))} (download ${size(transferBytes(entry))})`,
    `${memory} MiB of memory`,
    ...(factor === null ? [] : [`${factor} s per second of sound on one core`]),
    licence.acceptance ? `${licence.name}, needs --accept-licence` : licence.name,
  ];
  return `${name}: ${title}. ${purpose}\n    ${facts.join(', ')}`;
}

export function figures({ set, wer, der, real_time_factor: factor, peak_memory_mib: memory }: Evaluation): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return [
    `measured on ${set}`,
    ...(wer ? [`WER ${percent(wer.value)} (${percent(wer.low)} to ${percent(wer.high)})`] : []),
    ...(der ? [`DER ${percent(der.value)} (collar ${der.collar_s} s)`] : []),
    `${factor.toFixed(3)} s per second of sound`,
    ...(memory === null ? [] : [`${memory} MiB`]),
  ].join(', ');
}

export function size(bytes: number): string {
  return bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MiB` : `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}
