import { identityRpc, mediaEvents, transcriptionLive, type FileAccess, type PushMessage } from '@overtone/contracts';
import {
  catchUp,
  createService,
  createServiceBase,
  onStop,
  periodic,
  type Bus,
  type Caller,
  type Part,
  type Service,
} from '@overtone/service-kit';
import { createAudience } from './audience/audience.ts';
import { createAudienceLoader } from './audience/audience-loader.adapter.ts';
import type { GatewayEnv } from './env.ts';
import { createEventsTail } from './feed/events.adapter.ts';
import { translateEvent } from './feed/feed.ts';
import { createProgress } from './feed/progress.ts';
import { createReplay } from './feed/replay.ts';
import { createHub, type Hub } from './sockets/hub.ts';
import { createListener, openingOf } from './sockets/listener.ts';
import { createPlain } from './sockets/plain.adapter.ts';
import { createConversations } from './sockets/session.ts';
import { createSocketIo } from './sockets/socketio.adapter.ts';
import { outgoing } from './sockets/frames.ts';
import { createTelemetry } from './telemetry.ts';

const hour = 3_600_000;
/** A client that reconnects within a minute misses no event, even across a restart of the gateway. */
const lookBackMs = 90_000;
const settled: ReadonlySet<string> = new Set(['completed', 'error', 'cancelled', 'quarantined', 'orphaned']);

/** The push channel: sends events and progress to browsers, over socket.io and plain WebSocket. */
export function createRealtimeGateway(env: GatewayEnv): Service {
  const base = createServiceBase('realtime-gateway', env);
  const { metrics, bus } = base;
  const { whoIs } = base;

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
  const notify = (userIds: Iterable<string>, seq: number, message: PushMessage): void => {
    const out = outgoing(message);
    for (const userId of userIds) {
      replay.add(userId, { seq, message, at: Date.now() });
      hub.notify(userId, out);
    }
  };
  /** Users who gain or lose access to a file are notified as if it were created or deleted. */
  const changeAudience = (access: FileAccess, seq: number): void => {
    const { gained, lost } = audience.setAccess(access);
    const data = { file_id: access.fileId };
    notify(gained, seq, { type: 'file_created', seq, data });
    notify(lost, seq, { type: 'file_deleted', seq, data });
  };
  const tail = createEventsTail({
    bus,
    lookBackMs,
    onBegin: (after, reset) => {
      replay.reset(after);
      if (reset) hub.resyncAll();
    },
    onEvent: ({ subject, body, seq, time }) => {
      const event = translateEvent(subject, body, seq);
      replay.advanceTo(seq);
      if (event.kind === 'revocation') hub.revoke(event.revocation.userId, event.revocation.sessionId, time.getTime());
      if (event.kind === 'access') changeAudience(event.access, seq);
      if (event.kind === 'membership' && audience.setMembership(event.membership)) hub.resync(event.membership.userId);
      if (event.kind === 'transcription-ended') notify([event.fact.ownerId], seq, event.fact.message);
      if (event.kind === 'shared') {
        const { userId, groupId, ownerId, sharedBy } = event.shared;
        const members = userId ? [userId] : audience.membersOf(groupId ?? '');
        notify(
          members.filter((id) => id !== ownerId && id !== sharedBy),
          seq,
          event.message,
        );
      }
      if (event.kind !== 'fact') return;
      const { fileId, ownerId, message } = event.fact;
      notify([ownerId, ...audience.of(fileId)], seq, message);
      // A file in the bin keeps its audience, which is notified when the file is restored.
      if (subject === mediaEvents.deleted.subject) audience.forget(fileId);
      if (message.type === 'file_deleted' || (message.type === 'file_updated' && settled.has(message.data.status)))
        progress.settle(message.data.file_id);
      else if (message.type === 'file_updated' && ['queued', 'uploaded'].includes(message.data.status))
        progress.pause(message.data.file_id);
    },
  });

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
  const telemetry = createTelemetry(metrics, { sockets: hub.count });

  return createService({
    ...base,
    listener: createListener({ whoIs, plain, socketIo, recordRequest: telemetry.recordRequest }),
    slices: [
      {
        parts: [createProgressSubscription(bus, progress.push), tail.part],
        periodics: [
          catchUp('load file audiences', hour, createAudienceLoader({ bus, audience })),
          periodic('clean up sockets', 500, async () => hub.cleanUp()),
          periodic('heartbeat', env.WS_HEARTBEAT_MS, async () => plain.sendHeartbeat()),
          periodic('prune old facts', 30_000, async () => {
            replay.prune(Date.now());
            progress.prune();
          }),
          // Open sockets would keep the listener from closing, so they are closed with the periodic tasks.
          onStop('sockets', async () => {
            hub.closeAll();
            plain.close();
            socketIo.close();
          }),
        ],
      },
    ],
  });
}

function createProgressSubscription(bus: Bus, push: ReturnType<typeof createProgress>['push']): Part {
  return {
    name: 'progress',
    start: async () =>
      bus.subscribeLive(transcriptionLive.fileProgress, ({ fileId, ownerId, stage, progress, message, etaSeconds }) =>
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
