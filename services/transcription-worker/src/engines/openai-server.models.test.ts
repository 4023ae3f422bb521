import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { record } from '@overtone/testkit/recordings';
import { freePort, waitFor } from '@overtone/testkit';
import { pullWhisper, startWhisper } from '../../test/real-whisper.ts';
import { librivox, wordErrorRate } from '../../test/utterances.ts';
import { wavSeconds } from '../audio/wav.ts';
import { defaultSpeechEnvironment } from '../env.ts';
import { createEndpointFetch } from '../ports/endpoint-fetch.adapter.ts';
import type { SpeechEngine } from './engines.ts';
import { createOpenAiEngine } from './openai.adapter.ts';

// On a slow machine, loading a model or decoding a recording takes minutes.
jest.setTimeout(3_600_000);
const run = promisify(execFile);
const python = join(defaultSpeechEnvironment, 'bin', 'python');
/** A public server with OpenAI's interface, and what it needs beside faster-whisper, which it shares with the product. */
const server = [
  ['faster-whisper-server', '0.0.3'],
  ['fastapi', '0.115.12'],
  ['starlette', '0.46.2'],
  ['uvicorn', '0.34.2'],
  ['python-multipart', '0.0.20'],
  ['pyyaml', '6.0.2'],
  ['pydantic', '2.11.4'],
  ['pydantic-core', '2.33.2'],
  ['annotated-types', '0.7.0'],
  ['typing-inspection', '0.4.0'],
  ['typing-extensions', '4.13.2'],
  ['anyio', '4.9.0'],
  ['idna', '3.10'],
  ['sniffio', '1.3.1'],
  ['h11', '0.16.0'],
  ['click', '8.1.8'],
].map(([name, version]) => `${name}==${version}`);

let root = '';
let stop: (() => void) | undefined;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'overtone-openai-'));
  await pullWhisper(root, 'faster-whisper-base');
  const into = ['--python', python, 'install', '--quiet', '--no-deps', '--target', join(root, 'server')];
  await run('python3', ['-m', 'pip', ...into, ...server]);
});
afterAll(async () => {
  stop?.();
  await rm(root, { recursive: true, force: true });
});

/** Starts the server with the installed model and the number format of the product, else with its own settings. */
async function startServer(): Promise<string> {
  const [port, config] = [await freePort(), join(root, 'server.yaml')];
  const model = { name: 'whisper-1', path: join(root, 'models', 'asr', 'faster-whisper-base') };
  const options = { device: 'cpu', compute_type: 'int8' };
  await writeFile(config, JSON.stringify({ models: [{ ...model, model_options: options }] }));
  const args = ['-s', '-B', '-m', 'faster_whisper_server', '-f', config, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(python, args, { env: { ...process.env, PYTHONPATH: join(root, 'server') }, stdio: 'ignore' });
  stop = () => child.kill('SIGKILL');
  await waitFor(() =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return `http://127.0.0.1:${port}/v1`;
}

it('a public server of the OpenAI kind gives the text of the built-in engine with the same model, within 1 %', async () => {
  const wavPath = join(root, 'reading.wav');
  await record(wavPath, librivox, 0.6);
  const seconds = await wavSeconds(wavPath);
  const textBy = async (engine: SpeechEngine): Promise<string> => {
    expect(await engine.check()).toEqual({ ready: true });
    const { words } = await engine.transcribe({ wavPath, seconds, language: null });
    engine.close();
    return words.map(({ word }) => word).join(' ');
  };
  const { fetchEndpoint, close } = createEndpointFetch();
  const options = { apiKey: undefined, model: 'whisper-1', fetchEndpoint, parallel: () => 1 };
  const theirs = await textBy(createOpenAiEngine({ ...options, baseUrl: await startServer() }));
  await close();
  const ours = await textBy(startWhisper(root));
  for (const text of [ours, theirs]) expect(text).toMatch(/^And Mr\. John Dashwood .* amiable himself\.$/);
  // Words; where a sentence ends in a pause, one may have a comma and the other a full stop.
  expect(wordErrorRate(theirs, ours)).toBeLessThanOrEqual(0.01);
});
