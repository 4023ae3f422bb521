import type { EdgeSettings } from '@overtone/contracts';
import type { Bus, Checks, Log, Metrics, Slice } from '@overtone/service-kit';
import type { EdgeEnv } from '../env.ts';
import { createCache } from './cache.ts';
import { followSettings } from './follow-settings.ts';
import { createLimits, type Limits } from './limits.ts';

type LimitsSlice = Slice & { limits: Limits; checks: Checks };
type Deps = { env: EdgeEnv; log: Log; metrics: Metrics; bus: Bus; identity: { settings: () => Promise<EdgeSettings> } };

/** Limits requests per session and address, and sign-in attempts as the settings of identity say. */
export function createLimitsSlice({ env, log, metrics, bus, identity }: Deps): LimitsSlice {
  const cache = env.REDIS_URL ? createCache(env.REDIS_URL, log, metrics) : undefined;
  const limits = createLimits(cache, {
    sessionPerMinute: env.RATE_LIMIT_SESSION_PER_MINUTE,
    anonymousPerMinute: env.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
  });
  const settings = followSettings({
    bus,
    log,
    ask: identity.settings,
    apply: ({ signInPerMinute }) => limits.setSignInPerMinute(signInPerMinute),
  });
  return {
    limits,
    parts: [{ name: 'cache', start: async () => {}, stop: async () => cache?.close() }, settings],
    checks: cache ? { cache: { critical: false, probe: () => cache.ping() } } : {},
  };
}
