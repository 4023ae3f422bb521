import type { Bus, Slice } from '@overtone/service-kit';
import type { EdgeEnv } from '../env.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { createAssertions } from './assertions.ts';
import { createAuthenticate, type Callers } from './callers.ts';
import { createForwardedStatement } from './forwarded.ts';
import { createIdentity, type Identity } from './identity.adapter.ts';
import { createInFlight } from './in-flight.ts';
import { createHeartbeat, createRevocations } from './revocations.ts';
import { createSessionCache } from './session-cache.ts';

type Deps = { env: EdgeEnv; bus: Bus; upstreams: Upstreams };

/** Finds out who is calling, until the session ends. */
export function createCallersSlice({ env, bus, upstreams }: Deps): Slice & { callers: Callers; identity: Identity } {
  const { ASSERTION_PRIVATE_KEY: key } = env;
  const { connectionWait, identity: pool } = upstreams;
  const sign = createAssertions(key);
  const identity = createIdentity({ connectionWait, pool, assertion: () => sign('identity', null) });
  const heartbeat = createHeartbeat({ bus });
  const sessions = createSessionCache({ ask: identity.ask, isReceiving: heartbeat.isReceiving });
  const inFlight = createInFlight({ resolve: sessions.resolve });
  const authenticate = createAuthenticate({ resolve: sessions.resolve });
  return {
    callers: { authenticate, inFlight, assertion: sign, forwarded: createForwardedStatement(key) },
    identity,
    parts: [createRevocations({ bus, heartbeat, sessions, inFlight })],
  };
}
