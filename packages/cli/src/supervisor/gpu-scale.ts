import { readEnv } from '@overtone/service-kit/env';
import { z } from 'zod';
import { messageOf, Refusal } from '../refusal.ts';

/** Additional workers for one GPU, enabled with `up --gpu-scale`. */
export type GpuScale = {
  /** Number or UUID, as in CUDA_VISIBLE_DEVICES. */
  readonly device: string;
  readonly workers: number;
};

/** The service of the additional processes. */
export const scaledService = 'transcription-worker';

/** They have an effect only with `up --gpu-scale`. */
export const gpuScaleEnv = {
  GPU_SCALE_DEVICE_ID: z
    .string()
    .regex(/^(\d+|(GPU|MIG)-[\w/-]+)$/)
    .describe('the number of a GPU, or its UUID that begins with GPU- or MIG-')
    .default('0'),
  GPU_SCALE_WORKERS: z.coerce.number().int().min(1).max(32).default(1),
};

/** @throws Refusal naming a variable that cannot be used. */
export function gpuScaleOf(caller: Readonly<Record<string, string | undefined>>): GpuScale {
  try {
    const env = readEnv(gpuScaleEnv, { ...caller });
    return { device: env.GPU_SCALE_DEVICE_ID, workers: env.GPU_SCALE_WORKERS };
  } catch (cause) {
    throw new Refusal(messageOf(cause), { cause });
  }
}

/** The names of their processes, in logs and in `status`. */
export function scaledNames(scale: GpuScale | undefined): string[] {
  return Array.from({ length: scale?.workers ?? 0 }, (_, index) => `${scaledService}-gpu-${index + 1}`);
}

/** Their variables in addition to those of every worker: only the GPU queue, only that GPU. */
export function scaledEnvironment({ device }: GpuScale): Record<string, string> {
  return {
    WORKER_QUEUES: 'gpu',
    CUDA_VISIBLE_DEVICES: device,
  };
}
