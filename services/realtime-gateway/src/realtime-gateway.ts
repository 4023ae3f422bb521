import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createAudienceSlice } from './audience/audience.slice.ts';
import type { GatewayEnv } from './env.ts';
import { createFeedSlice } from './feed/feed.slice.ts';
import { createReplay } from './feed/replay.ts';
import { createSocketsSlice } from './sockets/sockets.slice.ts';

/** The push channel: sends events and progress to browsers, over socket.io and plain WebSocket. */
export function createRealtimeGateway(env: GatewayEnv): Service {
  const base = createServiceBase('realtime-gateway', env);
  const { bus, metrics, whoIs } = base;
  const replay = createReplay({ keepMs: 5 * 60_000, maxPerUser: 2_000 });
  const { audience, reload: reloadAudience, ...audienceSlice } = createAudienceSlice({ bus });
  const latestProgress = (userId: string) => feed.latestProgress(userId);
  const { hub, listener, ...sockets } = createSocketsSlice({ env, bus, metrics, whoIs, replay, latestProgress });
  const feed = createFeedSlice({ bus, audience, reloadAudience, replay, receivers: hub });
  return createService({ ...base, listener, slices: [audienceSlice, feed, sockets] });
}
