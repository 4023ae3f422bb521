import type { Slice } from '@overtone/service-kit';
import type { EdgeEnv } from '../env.ts';
import { createUpstreams, type ResponseLimits, type Upstreams } from './upstreams.ts';

type Deps = { env: EdgeEnv; responseLimits?: ResponseLimits | undefined };

export function createUpstreamsSlice({ env, responseLimits }: Deps): Slice & { upstreams: Upstreams } {
  const upstreams = createUpstreams(env, responseLimits);
  return {
    upstreams,
    parts: [{ name: 'upstream connections', start: async () => {}, stop: upstreams.close }],
  };
}
