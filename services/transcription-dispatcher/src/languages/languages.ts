import type { WorkerState } from '../leases/leases.ts';

/** What the live speech engines can transcribe together; null: any language, or there is no engine to ask. */
export const languagesOf = (workers: readonly WorkerState[] | null): string[] | null => {
  const engines = (workers ?? []).filter(({ engine }) => engine !== null);
  // An older worker reports no languages.
  if (engines.length === 0 || engines.some(({ languages }) => !languages || languages.length === 0)) return null;
  return [...new Set(engines.flatMap(({ languages }) => languages ?? []))].sort();
};
