import type { Server } from 'node:http';
import { identityRpc } from '@overtone/contracts';
import { periodic, type Bus, type Caller, type Metrics, type Slice } from '@overtone/service-kit';
import type { GatewayEnv } from '../env.ts';
import type { Live, Replay } from '../feed/feed.ts';
import { createHub, type Hub } from './hub.ts';
import { createListener, openingOf } from './listener.ts';
import { createPlain } from './plain.adapter.ts';
import { createConversations } from './session.ts';
import { createSocketIo } from './socketio.adapter.ts';
import { createTelemetry } from './telemetry.ts';

type SocketsSlice = Slice & { hub: Hub; listener: Server };
type Deps = {
  env: GatewayEnv;
  bus: Bus;
  metrics: Metrics;
  whoIs: (assertion: string | undefined) => Caller | null;
  replay: Replay;
  latestProgress: (userId: string) => Live[];
};

/** The sockets of signed-in users, over socket.io and plain WebSocket. */
export function createSocketsSlice({ env, bus, metrics, whoIs, replay, latestProgress }: Deps): SocketsSlice {
  const hub = createHub({ replay, latestProgress, maxPerUser: env.WS_MAX_SOCKETS_PER_USER });
  const startConversation = createConversations({
    hub,
    resolve: createSessionResolver(bus),
    authenticateWithinMs: env.WS_AUTHENTICATE_WITHIN_MS,
    maxUnauthenticated: env.WS_MAX_UNAUTHENTICATED,
  });
  const plain = createPlain(startConversation);
  const socketIo = createSocketIo({
    startConversation,
    openingOf: (req) => openingOf(whoIs, req),
    heartbeatMs: env.WS_HEARTBEAT_MS,
  });
  const { recordRequest } = createTelemetry(metrics, { sockets: hub.count });
  return {
    hub,
    listener: createListener({ whoIs, plain, socketIo, recordRequest }),
    periodics: [
      periodic('clean up sockets', 500, async () => hub.cleanUp()),
      periodic('heartbeat', env.WS_HEARTBEAT_MS, async () => plain.sendHeartbeat()),
    ],
    beforeClose: async () => {
      hub.closeAll();
      plain.close();
      await socketIo.close();
    },
  };
}

function createSessionResolver(bus: Bus) {
  return async (accessToken: string): Promise<Caller | null> => {
    const { session } = await bus.request(identityRpc.resolveSession, { accessToken });
    if (!session || session.refusal !== null) return null;
    const { userId, sessionId, role, expiresAt } = session;
    return { userId, sessionId, role, tokenExpiresAt: expiresAt };
  };
}
