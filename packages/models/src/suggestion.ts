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
  return { text: sizeFor(machine), entry: suitableModels(machine, catalogue)[0] ?? null };
}

/** The speech models that suit a machine, the best first: the measured ones by name, then the largest of the others. */
export function suitableModels(machine: Machine, catalogue: readonly CatalogueEntry[]): CatalogueEntry[] {
  const memoryMib = Math.max(0, machine.memoryBytes / 1024 ** 2 - reservedMib);
  const fitting = catalogue.filter(({ kind, memory_mib: needed }) => kind === 'asr' && needed <= memoryMib);
  const measured = measuredFor(machine).flatMap((name) => fitting.filter((entry) => entry.name === name));
  const others = fitting
    .filter((entry) => !measured.includes(entry) && entry.family !== 'faster-whisper')
    .filter(({ cpu_real_time_factor: factor }) => machine.gpuMemoryMib !== null || isFastEnough(factor, machine.cores))
    .sort((x, y) => modelBytes(y) - modelBytes(x) || transferBytes(x) - transferBytes(y));
  return [...measured, ...others];
}

function measuredFor({ cores, gpuMemoryMib }: Machine): string[] {
  const small = ['faster-whisper-small', 'faster-whisper-base'];
  if (gpuMemoryMib !== null && gpuMemoryMib >= 4_000) return ['faster-whisper-large-v3-turbo', ...small];
  return gpuMemoryMib !== null || cores >= 8 ? small : ['faster-whisper-base'];
}

/** At least twice as fast as the recording, with half of the cores for other work. */
function isFastEnough(factor: number | null, cores: number): boolean {
  return factor === null || factor / Math.max(1, cores / 2) <= 0.5;
}

function sizeFor({ cores, gpuMemoryMib }: Machine): string {
  if (gpuMemoryMib !== null && gpuMemoryMib >= 4_000) return 'Whisper large-v3 turbo on the GPU';
  if (gpuMemoryMib !== null) return 'Whisper small on the GPU';
  return cores >= 8 ? 'Whisper small, or Parakeet TDT 0.6B in int8 (25 languages)' : 'Whisper base';
}
