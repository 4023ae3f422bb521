import { modelBytes, transferBytes, type CatalogueEntry } from './catalogue.ts';

export type Machine = {
  readonly cores: number;
  readonly memoryBytes: number;
  /** Memory of the largest GPU; null without one. */
  readonly gpuMemoryMib: number | null;
};
export type Suggestion = {
  /** The kind of speech model that this machine can use, in words. */
  readonly text: string;
  /** The speech model of the catalogue to pull; null: the catalogue has none that fits. */
  readonly entry: CatalogueEntry | null;
};

/** Memory that the other services of a machine need. */
const reservedMib = 2_048;

/** Which speech model suits a machine. */
export function suggestModel(machine: Machine, catalogue: readonly CatalogueEntry[]): Suggestion {
  const memoryMib = Math.max(0, machine.memoryBytes / 1024 ** 2 - reservedMib);
  const fitting = catalogue
    .filter(({ kind, memory_mib: needed }) => kind === 'asr' && needed <= memoryMib)
    .filter(({ cpu_real_time_factor: factor }) => machine.gpuMemoryMib !== null || isFastEnough(factor, machine.cores))
    .sort((x, y) => modelBytes(y) - modelBytes(x) || transferBytes(x) - transferBytes(y));
  return { text: sizeFor(machine, memoryMib), entry: fitting[0] ?? null };
}

/** At least twice as fast as the recording, with half of the cores for other work. */
function isFastEnough(factor: number | null, cores: number): boolean {
  return factor === null || factor / Math.max(1, cores / 2) <= 0.5;
}

function sizeFor({ cores, gpuMemoryMib }: Machine, memoryMib: number): string {
  if (gpuMemoryMib !== null && gpuMemoryMib >= 6_000)
    return 'a large model on the GPU, such as Whisper large-v3 or Parakeet TDT 0.6B';
  if (gpuMemoryMib !== null) return 'a small or medium model on the GPU, such as Whisper small';
  if (memoryMib < 1_500) return 'the smallest models only, such as Whisper tiny or base in int8';
  if (cores >= 4 && memoryMib >= 4_000) return 'Parakeet TDT 0.6B in int8 (25 languages), or Whisper small';
  return 'Whisper base in int8, or an endpoint elsewhere';
}
