import type { EngineSettings, EngineTuning, GpuDevice } from '@overtone/contracts';

/** Settings of the operator; `auto` follows the table. */
export type TuningWishes = {
  batchSize: EngineSettings['batch_size'];
  computeType: EngineSettings['compute_type'];
  hybrid: EngineSettings['hybrid_mode'];
};

export function wishesOf({
  batch_size: batchSize,
  compute_type: computeType,
  hybrid_mode: hybrid,
}: EngineSettings): TuningWishes {
  return { batchSize, computeType, hybrid };
}

type ModelSize = 'large' | 'medium' | 'small' | 'smaller';

/** Specification, "Limits": pieces of a recording recognised concurrently, by minimum gigabytes. */
const batchSizes = [
  [48, 32],
  [24, 24],
  [16, 16],
  [12, 12],
  [8, 8],
  [6, 4],
] as const;
/** Maximum of the table. */
export const largestBatch = batchSizes[0][1];
/** Not in the table: half of its last row. */
const smallestBatch = 2;

/** Below this many gigabytes, a model of this size and diarization do not fit together. */
const hybridBelow: Record<ModelSize, number> = { large: 4.9, medium: 4.8, small: 3.7, smaller: 0 };

/** The specification's table of batch size, compute type and hybrid mode, for a model on this device or on none. */
export function tuningFor(device: GpuDevice | undefined, model: string, wishes: TuningWishes): EngineTuning {
  const hybrid = device !== undefined && isHybrid(device, model, wishes.hybrid);
  const onGpu = device !== undefined && !hybrid;
  const { batchSize, computeType } = wishes;
  return {
    transcribe_on: onGpu ? 'gpu' : 'cpu',
    diarize_on: device === undefined ? 'cpu' : 'gpu',
    hybrid,
    // One piece already uses all cores of a CPU.
    batch_size: batchSize === 'auto' ? (onGpu ? batchSizeOf(device) : 1) : batchSize,
    compute_type: computeType === 'auto' ? (onGpu ? computeTypeOf(device) : 'int8') : computeType,
  };
}

// Marketing gigabytes: the driver of a "24 GB" card reports 23,028 to 24,576 MiB, which are 24.1 to 25.8
// billion bytes, but not always 24 times 1,024 MiB.
function gigabytes({ memory_mib }: Pick<GpuDevice, 'memory_mib'>): number {
  return (memory_mib * 2 ** 20) / 1e9;
}

function isHybrid(device: GpuDevice, model: string, mode: TuningWishes['hybrid']): boolean {
  return mode === 'auto' ? gigabytes(device) < hybridBelow[sizeOf(model)] : mode === 'true';
}

function batchSizeOf(device: GpuDevice): number {
  return batchSizes.find(([from]) => gigabytes(device) >= from)?.[1] ?? smallestBatch;
}

/** An old driver reports no capability: use the type that every GPU supports. */
function computeTypeOf({ capability }: GpuDevice): EngineTuning['compute_type'] {
  if (capability === null || capability < 7) return 'float32';
  return capability < 7.5 ? 'float16' : 'int8_float16';
}

/** By the names of common models; a name without a size counts as large. */
function sizeOf(model: string): ModelSize {
  if (/large|turbo/i.test(model)) return 'large';
  if (/medium/i.test(model)) return 'medium';
  if (/small/i.test(model)) return 'small';
  return /tiny|base/i.test(model) ? 'smaller' : 'large';
}
