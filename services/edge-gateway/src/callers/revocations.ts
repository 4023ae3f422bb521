import { identityEvents, type DataOf } from '@overtone/contracts';
import type { Bus, Part } from '@overtone/service-kit';
import type { InFlight } from './in-flight.ts';
import type { SessionCache } from './session-cache.ts';

const beatMs = 250;
/** Without a response for this long, events may be missing. */
const silenceMs = 700;
/** After this a change of settings is effective on every replica of identity. */
const settledMs = 3_000;

/** Probes the broker, because a silent connection delivers no events and reports no error. */
export function createHeartbeat({ bus }: { bus: Bus }) {
  let lastBeat = 0;
  /** The start of the pending heartbeat. */
  let beatSince: number | null = null;
  const isReceiving = (): boolean => bus.connected() && Date.now() - lastBeat < silenceMs;
  return {
    /** Whether events arrive at this moment. */
    isReceiving,
    /** The broker is silent, as opposed to this process being too busy to send or read. */
    isSilent: (): boolean => !bus.connected() || (beatSince !== null && Date.now() - beatSince >= silenceMs),
    /** @param onGap called when the broker responds after a silence: events may be lost. */
    beat: async (onGap: () => void): Promise<void> => {
      if (beatSince !== null) return;
      const asked = (beatSince = Date.now());
      try {
        const wasReceiving = isReceiving();
        await bus.nc().flush();
        if (!wasReceiving) onGap();
        lastBeat = asked;
      } finally {
        beatSince = null;
      }
    },
  };
}

type Deps = { bus: Bus; heartbeat: ReturnType<typeof createHeartbeat>; sessions: SessionCache; inFlight: InFlight };

/**
 * Receives ended sessions and changed accounts. Every replica needs all events and none of the past, so this
 * is a plain subscription, not a durable: events are only missed without a connection, and that clears the cache.
 */
export function createRevocations({ bus, heartbeat, sessions, inFlight }: Deps): Part {
  let lastCheck = 0;
  let timer: NodeJS.Timeout | undefined;

  /** While revocations cannot be received, requests in flight are checked periodically. */
  const checkInFlight = async (): Promise<void> => {
    if (!heartbeat.isSilent() || Date.now() - lastCheck < silenceMs) return;
    lastCheck = Date.now();
    await inFlight.checkAll();
  };
  const beat = (): Promise<void> => {
    // A response that arrived during a busy moment is read first.
    setImmediate(() => void checkInFlight());
    return heartbeat.beat(sessions.clear);
  };

  return {
    name: 'revocations',
    start: async () => {
      const revoke = ({ userId, sessionId }: DataOf<typeof identityEvents.sessionRevoked>): void => {
        sessions.drop(userId, sessionId);
        void inFlight.revoked(userId, sessionId);
      };
      // A dropped message may be about any session.
      bus.subscribeLive(identityEvents.sessionRevoked, revoke, sessions.clear);
      bus.subscribeLive(identityEvents.userUpdated, ({ userId }) => sessions.drop(userId, null), sessions.clear);
      // Session limits may be shorter now. Identity's replicas apply them at about the same time or soon after.
      bus.subscribeLive(identityEvents.settingsChanged, () => {
        sessions.clear();
        setTimeout(sessions.clear, settledMs).unref();
      });
      bus.onDisconnect(sessions.clear);
      bus.onRenewal(sessions.clear);
      timer = setInterval(() => void beat().catch(() => {}), beatMs);
      await beat();
    },
    stop: async () => clearInterval(timer),
  };
}
