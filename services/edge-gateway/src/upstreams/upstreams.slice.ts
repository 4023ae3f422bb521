import type { Log, Slice } from '@overtone/service-kit';
import type { EdgeEnv } from '../env.ts';
import { createUpstreams, type ResponseLimits, type Upstreams } from './upstreams.ts';

type Deps = { env: EdgeEnv; log: Log; responseLimits?: ResponseLimits | undefined };

export function createUpstreamsSlice(deps: Deps): Slice & { upstreams: Upstreams } {
  const upstreams = createUpstreams(deps);
  return {
    upstreams,
    parts: [{ name: 'upstream connections', start: async () => {}, stop: upstreams.close }],
  };
}
