import { internalRoutes, type EdgeSettings, type ResolvedSession, type RouteDef } from '@overtone/contracts';
import { assertionHeader } from '@overtone/service-kit';
import type { Dispatcher } from 'undici';
import { refusals } from '../refusals/refusals.ts';
import type { ConnectionWait } from '../upstreams/upstreams.ts';

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
        throw refusals.identityUnavailable(what, { cause });
      });
    const body: unknown = await response.body.json().catch(() => undefined);
    if (response.statusCode === 200) return body;
    throw refusals.identityUnavailable(what, { detail: `identity answered ${response.statusCode}` });
  };

  return {
    ask: async (accessToken: string): Promise<ResolvedSession | null> => {
      const def = internalRoutes.resolveSession;
      for (let breaks = 0, looks = 0; ; looks += 1) {
        try {
          const answer = await ask(def, 'Sessions cannot be checked', { accessToken });
          connectionWait.seen('identity');
          return def.answer.parse(answer).session;
        } catch (error) {
          const code = codeOf(error);
          const again = away.has(code)
            ? await connectionWait.pause('identity', looks)
            : broken.has(code) && (breaks += 1) <= maxBreaks;
          if (!again) throw error;
        }
      }
    },
    settings: async (): Promise<EdgeSettings> => {
      const def = internalRoutes.edgeSettings;
      return def.answer.parse(await ask(def, 'Settings cannot be learnt'));
    },
  };
}

export type Identity = ReturnType<typeof createIdentity>;

/** What became of the connection, where that is why there was no answer. */
function codeOf(error: unknown): string {
  return ((error as Error).cause as { code?: string } | undefined)?.code ?? '';
}
