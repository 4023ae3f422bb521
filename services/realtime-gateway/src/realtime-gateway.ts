import { identityRpc, transcriptionLive, type FileAccess, type PushMessage } from '@overtone/contracts';
import {
  catchUp,
  createAccessLog,
  createAssertionVerifier,
  createBus,
  createLog,
  createMetrics,
  createService,
  periodic,
  version,
  type Bus,
  type Caller,
  type Part,
  type Periodic,
  type Service,
} from '@overtone/service-kit';
import { createAudience } from './audience/audience.ts';
import { createLearnAudience } from './audience/neighbours.adapter.ts';
import type { GatewayEnv } from './env.ts';
import { createEventsTail } from './feed/events.adapter.ts';
import { hear } from './feed/feed.ts';
import { createProgress } from './feed/progress.ts';
import { createReplay } from './feed/replay.ts';
import { createHub, type Hub } from './sockets/hub.ts';
import { createListener, openingOf } from './sockets/listener.ts';
import { createPlain } from './sockets/plain.adapter.ts';
import { createConversations } from './sockets/session.ts';
import { createSocketIo } from './sockets/socketio.adapter.ts';
import { outgoing } from './sockets/frames.ts';
import { createTelemetry } from './telemetry.ts';

const name = 'realtime-gateway';
const hour = 3_600_000;
/** Who comes back within a minute misses nothing, even when we were restarted meanwhile. */
const lookBackMs = 90_000;
const settled: ReadonlySet<string> = new Set(['completed', 'error', 'cancelled', 'quarantined', 'orphaned']);

/** The push channel: facts and progress to browsers, over socket.io and plain WebSocket. */
export const createRealtimeGateway = (env: GatewayEnv): Service => {
  const log = createLog(name, env);
  const metrics = createMetrics();
  const bus = createBus({ service: name, url: env.NATS_URL, user: env.NATS_USER, password: env.NATS_PASSWORD, log });
  const whoIs = createAssertionVerifier(env.ASSERTION_PUBLIC_KEY, name);

  const replay = createReplay({ keepMs: 5 * 60_000, maxPerUser: 2_000 });
  const audience = createAudience();
  const progress = createProgress({
    emit: (live) => {
      hub.progress(live);
      for (const userId of audience.of(live.fileId)) hub.progress(live, userId);
    },
  });
  const hub: Hub = createHub({
    replay,
    latestProgress: (userId) => progress.latestOf(userId, (fileId) => audience.of(fileId).has(userId)),
    maxPerUser: env.WS_MAX_SOCKETS_PER_USER,
  });
  const tell = (userIds: Iterable<string>, seq: number, message: PushMessage): void => {
    const out = outgoing(message);
    for (const userId of userIds) {
      replay.add(userId, { seq, message, at: Date.now() });
      hub.tell(userId, out);
    }
  };
  /** Who gains a file or loses it hears of it as if it were made or deleted just now. */
  const moveAudience = (access: FileAccess, seq: number): void => {
    const { gained, lost } = audience.setAccess(access);
    const data = { file_id: access.fileId };
    tell(gained, seq, { type: 'file_created', seq, data });
    tell(lost, seq, { type: 'file_deleted', seq, data });
  };
  const tail = createEventsTail({
    bus,
    lookBackMs,
    onBegin: (after, anew) => {
      replay.begin(after);
      if (anew) hub.resyncAll();
    },
    onEvent: ({ subject, body, seq, time }) => {
      const heard = hear(subject, body, seq);
      replay.reached(seq);
      if (heard.kind === 'revocation') hub.revoke(heard.revocation.userId, heard.revocation.sessionId, time.getTime());
      if (heard.kind === 'access') moveAudience(heard.access, seq);
      if (heard.kind === 'membership' && audience.setMembership(heard.membership)) hub.resync(heard.membership.userId);
      if (heard.kind !== 'fact') return;
      const { fileId, ownerId, message } = heard.fact;
      tell([ownerId, ...audience.of(fileId)], seq, message);
      if (message.type === 'file_deleted') audience.forget(fileId);
      if (message.type === 'file_deleted' || (message.type === 'file_updated' && settled.has(message.data.status)))
        progress.settle(message.data.file_id);
    },
  });

  const converse = createConversations({
    hub,
    resolve: resolveBy(bus),
    authenticateWithinMs: env.WS_AUTHENTICATE_WITHIN_MS,
    maxUnauthenticated: env.WS_MAX_UNAUTHENTICATED,
  });
  const plain = createPlain(converse);
  const socketIo = createSocketIo({
    converse,
    openingOf: (req) => openingOf(whoIs, req),
    heartbeatMs: env.WS_HEARTBEAT_MS,
  });
  const telemetry = createTelemetry(metrics, { sockets: hub.count, access: createAccessLog(log, env.LOG_FORMAT) });

  return createService({
    name,
    version,
    env,
    log,
    metrics,
    bus,
    listener: createListener({ whoIs, plain, socketIo, seen: telemetry.seen }),
    parts: [hearing(bus, progress.push), tail.part],
    periodics: [
      catchUp('learn who hears of which files', hour, createLearnAudience({ bus, audience })),
      periodic('sweep sockets', 500, async () => hub.sweep()),
      periodic('heartbeat', env.WS_HEARTBEAT_MS, async () => plain.beat()),
      periodic('forget old facts', 30_000, async () => {
        replay.prune(Date.now());
        progress.prune();
      }),
      // Open sockets would keep the listener from closing: they end with the other work.
      onStop('sockets', () => {
        hub.closeAll();
        plain.close();
        socketIo.close();
      }),
    ],
  });
};

const hearing = (bus: Bus, push: ReturnType<typeof createProgress>['push']): Part => ({
  name: 'progress',
  start: async () =>
    bus.hear(transcriptionLive.fileProgress, ({ fileId, ownerId, stage, progress, message, etaSeconds }) =>
      push({
        fileId,
        ownerId,
        message: {
          type: 'transcription_status',
          data: { file_id: fileId, stage, progress, message, eta_seconds: etaSeconds },
        },
      }),
    ),
  stop: async () => {},
});

const resolveBy =
  (bus: Bus) =>
  async (accessToken: string): Promise<Caller | null> => {
    const { session } = await bus.ask(identityRpc.resolveSession, { accessToken });
    if (!session || session.refusal !== null) return null;
    const { userId, sessionId, role, expiresAt } = session;
    return { userId, sessionId, role, tokenExpiresAt: expiresAt };
  };

const onStop = (task: string, work: () => void): Periodic => ({
  name: task,
  start: () => ({ stop: async () => work() }),
});
