import type { EngineTuning } from '@overtone/contracts';
import { tuningFor, type GpuProbe, type GpuState, type TuningWishes } from '../gpu/gpu.ts';

/** How the engine uses its processors, for a model of that name. */
export type TuningOf = (model: string) => EngineTuning;

export interface Processors {
  /** Asks the driver again when its last answer is old. */
  look(): Promise<void>;
  state(): GpuState;
  tuningOf: TuningOf;
  /** The library was asked to use the GPU and did not: the CPU does everything from now on. */
  giveUpGpu(): void;
}

/** The processors that sherpa-onnx may use here: what the driver tells of, as long as the library can use it. */
export const createProcessors = ({ probe, wishes }: { probe: GpuProbe; wishes: TuningWishes }): Processors => {
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
};
