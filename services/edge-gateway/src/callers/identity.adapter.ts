import { internalRoutes, type EdgeSettings, type ResolvedSession, type RouteDef } from '@overtone/contracts';
import { assertionHeader, unavailable } from '@overtone/service-kit';
import type { Dispatcher } from 'undici';
import type { ConnectionWait } from '../connection-wait.ts';

type Deps = { pool: Dispatcher; assertion: () => string; connectionWait: ConnectionWait };
const deadlineMs = 3_000;
/** A question may be asked again: it changes nothing. */
const maxBreaks = 2;
const away = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);
const broken = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Asks identity over HTTP: that works while the bus is away, which is when it matters most. */
export function createIdentity({ pool, assertion, connectionWait }: Deps) {
  const ask = async (def: RouteDef, what: string, question?: unknown): Promise<unknown> => {
    const response = await pool
      .request({
        method: def.method,
        path: def.path,
        headers: { 'content-type': 'application/json', [assertionHeader]: assertion() },
        ...(question === undefined ? {} : { body: JSON.stringify(question) }),
        signal: AbortSignal.timeout(deadlineMs),
      })
      .catch((cause: unknown) => {
        throw unavailable('service_unavailable', `${what} at the moment`, { cause });
      });
    const body: unknown = await response.body.json().catch(() => undefined);
    if (response.statusCode === 200) return body;
    const detail = `identity answered ${response.statusCode}`;
    throw unavailable('service_unavailable', `${what} at the moment`, { detail });
  };

  return {
    ask: async (accessToken: string): Promise<ResolvedSession | null> => {
      const def = internalRoutes.resolveSession;
      for (let breaks = 0, looks = 0; ; looks += 1) {
        try {
          const answer = await ask(def, 'Sessions cannot be checked', { accessToken });
          connectionWait.seen('identity');
          return def.answer.parse(answer).session;
        } catch (e) {
          const code = codeOf(e);
          const again = away.has(code)
            ? await connectionWait.pause('identity', looks)
            : broken.has(code) && (breaks += 1) <= maxBreaks;
          if (!again) throw e;
        }
      }
    },
    settings: async (): Promise<EdgeSettings> => {
      const def = internalRoutes.edgeSettings;
      return def.answer.parse(await ask(def, 'Settings cannot be learnt'));
    },
  };
}

/** What became of the connection, where that is why there was no answer. */
function codeOf(e: unknown): string {
  return ((e as Error).cause as { code?: string } | undefined)?.code ?? '';
}
