import { identityEvents, type EventDef } from '@overtone/contracts';
import type { Bus, Part } from '@overtone/service-kit';
import type { InFlight, SessionCache } from './callers.ts';

const beatMs = 250;
/** Without a response for this long, events may be missing. */
const silenceMs = 700;
/** After this a change of settings is effective on every replica of identity. */
const settledMs = 3_000;

type Deps = { bus: Bus; sessions: () => SessionCache; inFlight: () => InFlight };

/**
 * Receives ended sessions and changed accounts. Every replica needs all events and none of the past, so this
 * is a plain subscription, not a durable: events are only missed without a connection, and that clears the cache.
 */
export function createRevocations({ bus, sessions, inFlight }: Deps) {
  let lastBeat = 0;
  /** The start of the pending heartbeat. */
  let beatSince: number | null = null;
  let lastCheck = 0;
  let timer: NodeJS.Timeout | undefined;
  const isReceiving = (): boolean => bus.connected() && Date.now() - lastBeat < silenceMs;

  const on = <E extends EventDef>(event: E, handler: (data: unknown) => void): void => {
    bus.nc().subscribe(event.subject, { callback: (err, msg) => (err ? sessions().clear() : handler(msg.json())) });
  };

  /** The broker is silent, as opposed to this process being too busy to send or read. */
  const isSilent = (): boolean => !bus.connected() || (beatSince !== null && Date.now() - beatSince >= silenceMs);

  /** While revocations cannot be received, requests in flight are checked periodically. */
  const checkInFlight = async (): Promise<void> => {
    if (!isSilent() || Date.now() - lastCheck < silenceMs) return;
    lastCheck = Date.now();
    await inFlight().checkAll();
  };

  const beat = async (): Promise<void> => {
    // A response that arrived during a busy moment is read first.
    setImmediate(() => void checkInFlight());
    if (beatSince !== null) return;
    const asked = (beatSince = Date.now());
    try {
      const wasReceiving = isReceiving();
      await bus.nc().flush();
      // Events from before the silence may be lost.
      if (!wasReceiving) sessions().clear();
      lastBeat = asked;
    } finally {
      beatSince = null;
    }
  };

  const part: Part = {
    name: 'revocations',
    start: async () => {
      on(identityEvents.sessionRevoked, (data) => {
        const parsed = identityEvents.sessionRevoked.data.safeParse(data);
        if (!parsed.success) {
          sessions().clear();
          return;
        }
        const { userId, sessionId } = parsed.data;
        sessions().drop(userId, sessionId);
        void inFlight().revoked(userId, sessionId);
      });
      on(identityEvents.userUpdated, (data) => {
        const parsed = identityEvents.userUpdated.data.safeParse(data);
        if (parsed.success) sessions().drop(parsed.data.userId, null);
        else sessions().clear();
      });
      // Session limits may be shorter now. Identity's replicas apply them at about the same time or soon after.
      on(identityEvents.settingsChanged, () => {
        sessions().clear();
        setTimeout(() => sessions().clear(), settledMs).unref();
      });
      bus.onDisconnect(() => sessions().clear());
      bus.onReconnect(() => sessions().clear());
      timer = setInterval(() => void beat().catch(() => {}), beatMs);
      await beat();
    },
    stop: async () => clearInterval(timer),
  };
  return { part, isReceiving };
}
