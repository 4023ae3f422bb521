import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { childEnvironment, workerEnv } from './env.ts';

const before = { ...process.env };
const given = { API_PORT: '0', INTERNAL_PORT: '0', MODEL_CACHE_DIR: '/models', OBJECT_STORE_DIR: '/objects' };

function reset(to: Record<string, string | undefined>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, to);
}
beforeEach(() => reset(given));
afterEach(() => reset(before));

describe('environment of a child process', () => {
  it('has a folder for what the driver compiles, in the work folder or where the operator says', () => {
    expect(childEnvironment('/var/jobs')['CUDA_CACHE_PATH']).toBe('/var/jobs/cuda-cache');
    process.env['CUDA_CACHE_PATH'] = '/compiled';
    expect(childEnvironment('/work')['CUDA_CACHE_PATH']).toBe('/compiled');
  });
});

describe('environment of a worker', () => {
  it('uses the defaults of the specification', () => {
    const env = workerEnv();
    expect(env.concurrency).toEqual({ cpu: 8, gpu: 1, download: 3, embedding: 1 });
    expect(env.engineVariables).toEqual({});
    expect(env).toMatchObject({ GPU_WORKER_POOL: 'prefork', ENABLE_VRAM_PROFILING: false });
  });

  it('contains the variables of the engine settings that are set', () => {
    Object.assign(process.env, { GPU_EXPRESS_SLOTS: '1', GPU_CONCURRENT_REQUESTS: '3', BATCH_SIZE: 'auto' });
    expect(workerEnv().engineVariables).toEqual({
      GPU_EXPRESS_SLOTS: 1,
      GPU_CONCURRENT_REQUESTS: 3,
      BATCH_SIZE: 'auto',
    });
  });

  it('enables only the named queues', () => {
    process.env['WORKER_QUEUES'] = 'gpu';
    expect(workerEnv()).toMatchObject({ concurrency: { cpu: 0, gpu: 1 }, WORKER_QUEUES: ['gpu'] });
    process.env['WORKER_QUEUES'] = 'cpu, embedding';
    expect(workerEnv()).toMatchObject({ concurrency: { cpu: 8, gpu: 0 }, WORKER_QUEUES: ['cpu', 'embedding'] });
  });

  it.each([
    ['WORKER_QUEUES', 'gpu,nlp'],
    ['BATCH_SIZE', '0'],
    ['COMPUTE_TYPE', 'int4'],
    ['GPU_EXPRESS_SLOTS', '-1'],
    ['WHISPER_HYBRID_MODE', 'sometimes'],
    ['GPU_WORKER_POOL', 'solo'],
    ['VAD_THRESHOLD', '2'],
    ['MAX_SPEAKERS', '0'],
  ])("is rejected with the variable's name when %s is %s", (name, value) => {
    process.env[name] = value;
    expect(() => workerEnv()).toThrow(name);
  });
});

describe('environment of its child processes', () => {
  it('contains the visible GPUs, also none, and no secrets', () => {
    Object.assign(process.env, { CUDA_VISIBLE_DEVICES: '', NATS_PASSWORD: 'secret', ASR_OPENAI_API_KEY: 'secret' });
    const env = childEnvironment();
    expect(env).toMatchObject({ CUDA_VISIBLE_DEVICES: '', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' });
    expect(JSON.stringify(env)).not.toContain('secret');
  });
});
