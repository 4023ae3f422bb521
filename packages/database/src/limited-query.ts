import type { QueryConfig } from 'pg';

/** A statement that is rejected when its response takes longer. pg supports this, but its types do not. */
export function limitedQuery<C extends QueryConfig>(config: C, timeoutMs: number): C {
  return { ...config, query_timeout: timeoutMs };
}
