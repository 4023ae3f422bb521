import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../paths.ts';
import { missingPackages, productPackages } from '../setup/packages.ts';
import { createTerminal } from '../terminal.ts';

/** A folder of model files. */
export type FoundModel = {
  readonly name: string;
  readonly bytes: number;
};

/** Lists the model folder, and the default engine without models. */
export function models(options: { readonly data?: string }): void {
  const terminal = createTerminal();
  const folder = process.env['MODEL_CACHE_DIR'] ?? dataFolder(options.data).models;
  const found = findModels(folder);
  terminal.line(`Models in ${folder}:`);
  for (const { name, bytes } of found) terminal.done(`${name.padEnd(48)} ${(bytes / 1024 / 1024).toFixed(0)} MiB`);
  if (found.length === 0)
    terminal.warn('none; put models of sherpa-onnx there (README.md: Speech engines) to have them used');
  const endpoint = process.env['ASR_OPENAI_BASE_URL'];
  if (endpoint !== undefined) terminal.done(`endpoint for transcription: ${endpoint}`);
  const pocketSphinx = !missingPackages(productPackages).some((name) => name.startsWith('pocketsphinx'));
  if (pocketSphinx) terminal.done('PocketSphinx with its English model, from the distribution');
  else terminal.warn('PocketSphinx is not installed; see: ./overtone doctor');
}

// Generated from an installed package; no speech model.
const builtIn = new Set(['word-vectors']);

/** Folders and files that were added manually to a model folder, with their contents. */
export function findModels(folder: string): FoundModel[] {
  const given = list(folder).filter((name) => !builtIn.has(name));
  return given.map((name) => ({ name, bytes: sizeOf(join(folder, name)) }));
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.size;
  return list(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
