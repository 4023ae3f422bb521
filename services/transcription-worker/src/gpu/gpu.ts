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
  /** The library could not use the GPU: only the CPU is used from now on. */
  giveUpGpu(): void;
};
export type Gpu = { processors: Processors; meter: MemoryMeter; largestBatch: () => number };

/** The processors of this machine, and the measurement of GPU memory. */
export function createGpu({ env, wishes }: { env: Record<string, string>; wishes: () => TuningWishes }): Gpu {
  const processors = createProcessors({ probe: createGpuProbe({ env }), wishes });
  return {
    processors,
    meter: createMemoryMeter({ env, device: () => processors.state().devices[0] }),
    largestBatch: () => {
      const { batchSize } = wishes();
      return batchSize === 'auto' ? largestBatch : batchSize;
    },
  };
}

/** The processors available to sherpa-onnx: the driver's GPUs, as long as the library can use them. */
export function createProcessors({ probe, wishes }: { probe: GpuProbe; wishes: () => TuningWishes }): Processors {
  let state: GpuState = { devices: [], note: 'The driver has not been asked yet' };
  let usable = true;
  return {
    look: async () => {
      state = await probe.look();
    },
    state: () =>
      usable || state.devices.length === 0
        ? state
        : { ...state, note: 'The speech library of this worker was built without CUDA: the CPU does everything' },
    tuningOf: (model) => tuningFor(usable ? state.devices[0] : undefined, model, wishes()),
    giveUpGpu: () => {
      usable = false;
    },
  };
}
