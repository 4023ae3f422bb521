import type { EngineTuning } from '@overtone/contracts';
import { createMemoryMeter, type MemoryMeter } from './memory-meter.adapter.ts';
import type { GpuState } from './nvidia-smi.ts';
import { createGpuProbe, type GpuProbe } from './nvidia-smi.adapter.ts';
import { largestBatch, tuningFor, type TuningWishes } from './tuning.ts';

/** Tuning of the engine for a model of this name. */
export type TuningOf = (model: string) => EngineTuning;

export type Processors = {
  /** Queries the driver again when its last result has expired. */
  look(): Promise<void>;
  state(): GpuState;
  tuningOf: TuningOf;
  /** The library cannot use the GPU: only the CPU is used from now on. */
  giveUpGpu(why: string): void;
};
export type Gpu = {
  processors: Processors;
  /** Those of faster-whisper: each library finds out for itself whether it can use the GPU. */
  whisperProcessors: Processors;
  meter: MemoryMeter;
  largestBatch: () => number;
};

/** The processors of this machine, and the measurement of GPU memory. */
export function createGpu({ env, wishes }: { env: Record<string, string>; wishes: () => TuningWishes }): Gpu {
  const probe = createGpuProbe({ env });
  const processors = createProcessors({ probe, wishes });
  return {
    processors,
    whisperProcessors: createProcessors({ probe, wishes }),
    meter: createMemoryMeter({ env, device: () => processors.state().devices[0] }),
    largestBatch: () => {
      const { batchSize } = wishes();
      return batchSize === 'auto' ? largestBatch : batchSize;
    },
  };
}

/** The processors available to a library: the driver's GPUs, as long as it can use them. */
export function createProcessors({ probe, wishes }: { probe: GpuProbe; wishes: () => TuningWishes }): Processors {
  let state: GpuState = { devices: [], note: 'The driver has not been asked yet' };
  let unusable: string | null = null;
  return {
    look: async () => {
      state = await probe.look();
    },
    state: () => (unusable === null || state.devices.length === 0 ? state : { ...state, note: unusable }),
    tuningOf: (model) => tuningFor(unusable === null ? state.devices[0] : undefined, model, wishes()),
    giveUpGpu: (why) => {
      unusable = why;
    },
  };
}
