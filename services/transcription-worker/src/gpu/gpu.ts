export { createMemoryMeter, type MemoryMeter } from './memory-meter.adapter.ts';
export { createGpuProbe, type GpuProbe } from './nvidia-smi.adapter.ts';
export type { GpuState } from './state.ts';
export { largestBatch, tuningFor, type TuningWishes } from './tuning.ts';
