import type { EngineTuning, GpuDevice } from '@overtone/contracts';

/** What an operator may fix; `auto` follows the table. */
export type TuningWishes = {
  batchSize: number | 'auto';
  computeType: EngineTuning['compute_type'] | 'auto';
  hybrid: 'auto' | 'true' | 'false';
};

type ModelSize = 'large' | 'medium' | 'small' | 'smaller';

// Gigabytes as cards are sold by: the driver of a "24 GB" card tells of 23,028 to 24,576 MiB, which are 24.1 to 25.8
// thousand million bytes, but not always 24 times 1,024 MiB.
const gigabytes = ({ memory_mib }: Pick<GpuDevice, 'memory_mib'>): number => (memory_mib * 2 ** 20) / 1e9;

/** Specification, "Limits": pieces of a recording that are recognised at once, from that many gigabytes on. */
const batchSizes = [
  [48, 32],
  [24, 24],
  [16, 16],
  [12, 12],
  [8, 8],
  [6, 4],
] as const;
/** The most that the table asks for. */
export const largestBatch = batchSizes[0][1];
/** What the table leaves open: half of its last row. */
const smallestBatch = 2;

/** Gigabytes below which a model of that size and diarization do not fit beside each other. */
const hybridBelow: Record<ModelSize, number> = { large: 4.9, medium: 4.8, small: 3.7, smaller: 0 };

const batchSizeOf = (device: GpuDevice): number =>
  batchSizes.find(([from]) => gigabytes(device) >= from)?.[1] ?? smallestBatch;

/** A driver that does not tell the capability is an old one: the type that every GPU can do. */
const computeTypeOf = ({ capability }: GpuDevice): EngineTuning['compute_type'] => {
  if (capability === null || capability < 7) return 'float32';
  return capability < 7.5 ? 'float16' : 'int8_float16';
};

/** By the names of the usual models; one that says nothing of its size is taken for a large one. */
const sizeOf = (model: string): ModelSize => {
  if (/large|turbo/i.test(model)) return 'large';
  if (/medium/i.test(model)) return 'medium';
  if (/small/i.test(model)) return 'small';
  return /tiny|base/i.test(model) ? 'smaller' : 'large';
};

const isHybrid = (device: GpuDevice, model: string, mode: TuningWishes['hybrid']): boolean =>
  mode === 'auto' ? gigabytes(device) < hybridBelow[sizeOf(model)] : mode === 'true';

/** The specification's table of batch size, compute type and hybrid mode, for a model on this device or on none. */
export const tuningFor = (device: GpuDevice | undefined, model: string, wishes: TuningWishes): EngineTuning => {
  const hybrid = device !== undefined && isHybrid(device, model, wishes.hybrid);
  const onGpu = device !== undefined && !hybrid;
  const { batchSize, computeType } = wishes;
  return {
    transcribe_on: onGpu ? 'gpu' : 'cpu',
    diarize_on: device === undefined ? 'cpu' : 'gpu',
    hybrid,
    // The cores of a CPU are busy with one piece already.
    batch_size: batchSize === 'auto' ? (onGpu ? batchSizeOf(device) : 1) : batchSize,
    compute_type: computeType === 'auto' ? (onGpu ? computeTypeOf(device) : 'int8') : computeType,
  };
};
