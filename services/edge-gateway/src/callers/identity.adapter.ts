import { internalRoutes, type EdgeSettings, type ResolvedSession, type RouteDef } from '@overtone/contracts';
import { assertionHeader, unavailable } from '@overtone/service-kit';
import type { Dispatcher } from 'undici';

type Deps = { pool: Dispatcher; assertion: () => string };
const deadlineMs = 3_000;

/** Asks identity over HTTP: that works while the bus is away, which is when it matters most. */
export const createIdentity = ({ pool, assertion }: Deps) => {
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
      return def.answer.parse(await ask(def, 'Sessions cannot be checked', { accessToken })).session;
    },
    settings: async (): Promise<EdgeSettings> => {
      const def = internalRoutes.edgeSettings;
      return def.answer.parse(await ask(def, 'Settings cannot be learnt'));
    },
  };
};
