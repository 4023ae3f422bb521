import { describe, expect, it } from '@jest/globals';
import { dataFolder } from '../paths.ts';
import type { EnvironmentSource } from './environment.ts';
import { gpuScaleOf, scaledNames, type GpuScale } from './gpu-scale.ts';
import { planInstance, portNames } from './plan.ts';

const services = ['edge-gateway', 'transcription-worker'];

function sourceFor(scale: GpuScale | undefined, caller: Record<string, string> = {}): EnvironmentSource {
  return {
    folder: dataFolder('/data'),
    instance: {
      port: 8080,
      adminAnnounced: false,
      ports: Object.fromEntries(portNames([...services, ...scaledNames(scale)]).map((name, i) => [name, 20_000 + i])),
    },
    secrets: { file: (name) => `/data/secrets/${name}`, read: (name) => name },
    uiFolder: '/ui',
    caller: { PATH: '/bin', ...caller },
  };
}

function planned(scale: GpuScale | undefined, caller?: Record<string, string>) {
  return planInstance(sourceFor(scale, caller), services, scale).services;
}

describe('scaling for a GPU', () => {
  it('starts additional workers that take only tasks for that GPU', () => {
    const scaled = planned({ device: '1', workers: 2 }).slice(services.length);
    expect(
      scaled.map((worker) => [worker.name, worker.env['WORKER_QUEUES'], worker.env['CUDA_VISIBLE_DEVICES']]),
    ).toEqual([
      ['transcription-worker-gpu-1', 'gpu', '1'],
      ['transcription-worker-gpu-2', 'gpu', '1'],
    ]);
    expect(scaled.map((worker) => worker.env['NATS_USER'])).toEqual(['transcription-worker', 'transcription-worker']);
  });

  it('assigns separate ports to each of them', () => {
    const all = planned({ device: '1', workers: 3 });
    const ports = all.flatMap((worker) => [worker.env['API_PORT'], worker.env['INTERNAL_PORT']]);
    expect(new Set(ports).size).toBe(2 * all.length);
  });

  it('does not change the default worker', () => {
    const usual = (scale: GpuScale | undefined) =>
      planned(scale).find((worker) => worker.name === 'transcription-worker')?.env;
    expect(usual({ device: '1', workers: 1 })).not.toHaveProperty('WORKER_QUEUES');
    expect(usual({ device: '1', workers: 1 })).not.toHaveProperty('CUDA_VISIBLE_DEVICES');
  });

  it('requires the start flag: the variables alone start no worker', () => {
    const caller = { GPU_SCALE_WORKERS: '4', GPU_SCALE_DEVICE_ID: '1' };
    expect(planned(undefined, caller).map((worker) => worker.name)).toEqual(services);
  });

  it('reads device and number from the variables; the default is one worker for the first GPU', () => {
    expect(gpuScaleOf({ GPU_SCALE_DEVICE_ID: '2', GPU_SCALE_WORKERS: '4' })).toEqual({ device: '2', workers: 4 });
    expect(gpuScaleOf({ GPU_SCALE_DEVICE_ID: 'GPU-5c1b-2f' }).device).toBe('GPU-5c1b-2f');
    expect(gpuScaleOf({})).toEqual({ device: '0', workers: 1 });
  });

  it.each([
    [{ GPU_SCALE_DEVICE_ID: '-1' }, 'GPU_SCALE_DEVICE_ID'],
    [{ GPU_SCALE_DEVICE_ID: '0,1' }, 'GPU_SCALE_DEVICE_ID'],
    [{ GPU_SCALE_WORKERS: '0' }, 'GPU_SCALE_WORKERS'],
    [{ GPU_SCALE_WORKERS: 'many' }, 'GPU_SCALE_WORKERS'],
    [{ GPU_SCALE_WORKERS: '33' }, 'GPU_SCALE_WORKERS'],
  ])('refuses %p by name', (caller, name) => {
    expect(() => gpuScaleOf(caller)).toThrow(name);
  });
});
