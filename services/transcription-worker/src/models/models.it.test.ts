import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { startWorld, type World } from '../../test/world.ts';

const content = Buffer.alloc(300_000, 'model');
let world: World;
let server: Server;
let folder = '';

function entry(name: string, url: string, sha256 = createHash('sha256').update(content).digest('hex')) {
  return {
    name,
    title: name,
    kind: 'vad',
    family: 'silero-vad',
    languages: [],
    licence: { name: 'MIT', url: 'https://example.org/licence', acceptance: false },
    purpose: 'Tests',
    memory_mib: 1,
    cpu_real_time_factor: null,
    downloads: [{ name: 'model.onnx', bytes: content.length, sha256, sources: [url] }],
    files: { model: { path: 'model.onnx', bytes: content.length, sha256 } },
  };
}

beforeAll(async () => {
  server = createServer((_, response) => response.end(content));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.onnx`;
  folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  const catalogue = join(folder, 'catalogue.json');
  const models = [entry('good', url), entry('bad', url, 'b'.repeat(64))];
  await writeFile(catalogue, JSON.stringify({ version: 1, models }));
  world = await startWorld({ OT_MODEL_CATALOGUE: catalogue });
});
afterAll(async () => {
  await world.stop();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function taskOf(name: string, state: 'done' | 'failed') {
  return waitFor(async () => {
    const { tasks } = await world.models();
    return tasks.find((task) => task.name === name && task.state === state);
  });
}

describe('the model folder of a worker', () => {
  it("lists the operator's models before those of the product", async () => {
    const { catalogue, installed, suggestion } = await world.models();
    expect(catalogue.map(({ name }) => name).slice(0, 3)).toEqual(['good', 'bad', 'parakeet-tdt-0.6b-v3-int8']);
    expect(installed).toEqual([]);
    expect(suggestion.text).not.toBe('');
  });

  it('receives a model by a job', async () => {
    await world.orderModel('pull', { name: 'good', acceptLicence: false });
    expect(await taskOf('good', 'done')).toMatchObject({ received_bytes: content.length, error: null });
    expect((await world.models()).installed).toMatchObject([{ name: 'good', fault: null, origin: 'catalogue' }]);
  });

  it('keeps the reason of a failed job, and nothing of the model', async () => {
    await world.orderModel('pull', { name: 'bad', acceptLicence: false });
    expect(await taskOf('bad', 'failed')).toMatchObject({ error_code: 'hash_mismatch' });
    expect((await world.models()).installed.map(({ name }) => name)).toEqual(['good']);
  });

  it('does not use a model that was copied into it until it is verified by a job', async () => {
    const copied = join(world.modelFolder, 'vad', 'copied');
    await mkdir(copied, { recursive: true });
    await writeFile(join(copied, 'silero_vad.onnx'), content);
    const stateOf = async () => (await world.models()).installed.find(({ name }) => name === 'copied');
    expect(await stateOf()).toMatchObject({ fault: expect.stringContaining('not verified') });
    await world.orderModel('verify', { name: 'copied' });
    await taskOf('copied', 'done');
    expect(await stateOf()).toMatchObject({ fault: null, origin: 'import' });
  });

  it('deletes a model', async () => {
    expect(await world.removeModel('good')).toEqual({ removed: true });
    expect(await world.removeModel('good')).toEqual({ removed: false });
  });
});
