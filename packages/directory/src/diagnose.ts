import type { Diagnosis, DirectoryConfig } from './model.ts';

/** The connection test. */
export async function diagnose(_config: DirectoryConfig, _now: () => Date): Promise<Diagnosis> {
  return await Promise.resolve({ ok: false, steps: [], server_info: null });
}
