import type { Slice } from '@overtone/service-kit';
import type { EdgeEnv } from '../env.ts';
import { createUpstreams, type Upstreams } from './upstreams.ts';

export function createUpstreamsSlice({ env }: { env: EdgeEnv }): Slice & { upstreams: Upstreams } {
  const upstreams = createUpstreams(env);
  return {
    upstreams,
    parts: [{ name: 'upstream connections', start: async () => {}, stop: upstreams.close }],
  };
}
