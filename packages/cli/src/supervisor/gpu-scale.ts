import { Refusal } from '../refusal.ts';

/** Additional workers for one GPU, enabled with `up --gpu-scale`. */
export type GpuScale = {
  /** Number or UUID, as in CUDA_VISIBLE_DEVICES. */
  readonly device: string;
  readonly workers: number;
};

/** The service of the additional processes. */
export const scaledService = 'transcription-worker';

/** Reads GPU_SCALE_DEVICE_ID and GPU_SCALE_WORKERS; they have an effect only with the flag. */
export function gpuScaleOf(caller: Readonly<Record<string, string | undefined>>): GpuScale {
  const device = caller['GPU_SCALE_DEVICE_ID'] || '0';
  if (!/^(\d+|(GPU|MIG)-[\w/-]+)$/.test(device)) {
    throw new Refusal(
      `GPU_SCALE_DEVICE_ID is "${device}"; a GPU has a number or a UUID that begins with GPU- or MIG-.`,
    );
  }
  const workers = Number(caller['GPU_SCALE_WORKERS'] || '1');
  if (!Number.isInteger(workers) || workers < 1 || workers > 32) {
    throw new Refusal('GPU_SCALE_WORKERS is a number from 1 to 32.');
  }
  return { device, workers };
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
