import type { WorkerState } from '../leases/leases.ts';

/** All languages of the live speech engines; null: any language, or no engine is live. */
export function languagesOf(workers: readonly WorkerState[] | null): string[] | null {
  const engines = (workers ?? []).filter(({ engine }) => engine !== null);
  // An older worker reports no languages.
  if (engines.length === 0 || engines.some(({ languages }) => !languages || languages.length === 0)) return null;
  return [...new Set(engines.flatMap(({ languages }) => languages ?? []))].sort();
}
