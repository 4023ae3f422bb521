import { identityEvents, type EventDef } from '@overtone/contracts';
import type { Bus, Part } from '@overtone/service-kit';
import type { InFlight, SessionCache } from './callers.ts';

const beatMs = 250;
/** Without a sign of life for this long the broker may be keeping news from us. */
const silenceMs = 700;
/** After this every replica of identity has taken a change of settings into force. */
const settledMs = 3_000;

type Deps = { bus: Bus; sessions: () => SessionCache; inFlight: () => InFlight };

/**
 * Hears of ended sessions and changed accounts. Every replica needs to hear all of it and nothing of the past, so this
 * is a plain subscription, not a durable: whoever misses something has lost the connection, and then forgets everything.
 */
export const createRevocations = ({ bus, sessions, inFlight }: Deps) => {
  let lastBeat = 0;
  /** When the beat began that is not answered yet. */
  let beatSince: number | null = null;
  let lastCheck = 0;
  let timer: NodeJS.Timeout | undefined;
  const hearing = (): boolean => bus.connected() && Date.now() - lastBeat < silenceMs;

  const on = <E extends EventDef>(event: E, handler: (data: unknown) => void): void => {
    bus.nc().subscribe(event.subject, { callback: (err, msg) => (err ? sessions().clear() : handler(msg.json())) });
  };

  /** It is the broker that is silent, and not we who were too busy to ask or to read its answer. */
  const isSilent = (): boolean => !bus.connected() || (beatSince !== null && Date.now() - beatSince >= silenceMs);

  /** While nobody can tell us, what is under way is asked for in turns. */
  const askAround = async (): Promise<void> => {
    if (!isSilent() || Date.now() - lastCheck < silenceMs) return;
    lastCheck = Date.now();
    await inFlight().checkAll();
  };

  const beat = async (): Promise<void> => {
    // An answer that has come while we were busy is read first.
    setImmediate(() => void askAround());
    if (beatSince !== null) return;
    const asked = (beatSince = Date.now());
    try {
      const wasHearing = hearing();
      await bus.nc().flush();
      // News of before the silence may have been lost with it.
      if (!wasHearing) sessions().clear();
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
      // Limits of sessions may be shorter now. Identity's replicas hear of it when we do, or soon after.
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
  return { part, hearing };
};
