import type { EngineTuning } from '@overtone/contracts';
import { tuningFor, type GpuProbe, type GpuState, type TuningWishes } from '../gpu/gpu.ts';

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

/** The processors available to sherpa-onnx: the driver's GPUs, as long as the library can use them. */
export function createProcessors({ probe, wishes }: { probe: GpuProbe; wishes: TuningWishes }): Processors {
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
    tuningOf: (model) => tuningFor(usable ? state.devices[0] : undefined, model, wishes),
    giveUpGpu: () => {
      usable = false;
    },
  };
}
