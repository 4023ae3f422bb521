import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { listInstalled } from '@overtone/models';
import { adoptModels } from './adopt-models.ts';

const terminal = { step: () => undefined, done: () => undefined, warn: () => undefined };
let cacheDir = '';
beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'adopt-'));
});
afterEach(() => rm(cacheDir, { recursive: true, force: true }));

async function copy(name: string): Promise<void> {
  await mkdir(join(cacheDir, 'vad', name), { recursive: true });
  await writeFile(join(cacheDir, 'vad', name, 'silero_vad.onnx'), 'model');
}
async function verified(): Promise<string[]> {
  return (await listInstalled(cacheDir)).filter(({ fault }) => fault === null).map(({ name }) => name);
}

it('keeps the models of an earlier version in use, and no model that is copied later', async () => {
  await copy('earlier');
  await adoptModels(cacheDir, { wasUsedBefore: true, terminal });
  await copy('later');
  await adoptModels(cacheDir, { wasUsedBefore: true, terminal });
  expect(await verified()).toEqual(['earlier']);
});

it('verifies nothing in the folder of a new instance', async () => {
  await copy('by-hand');
  await adoptModels(cacheDir, { wasUsedBefore: false, terminal });
  await adoptModels(cacheDir, { wasUsedBefore: true, terminal });
  expect(await verified()).toEqual([]);
});
