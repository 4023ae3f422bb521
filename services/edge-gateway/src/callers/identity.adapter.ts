import { internalRoutes } from '@overtone/contracts';
import { assertionHeader, unavailable } from '@overtone/service-kit';
import type { Dispatcher } from 'undici';
import type { AskIdentity } from './callers.ts';

type Deps = { pool: Dispatcher; assertion: () => string };
const deadlineMs = 3_000;

/** Asks identity over HTTP: that works while the bus is away, which is when it matters most. */
export const createIdentity = ({ pool, assertion }: Deps): { ask: AskIdentity } => ({
  ask: async (accessToken) => {
    const def = internalRoutes.resolveSession;
    const response = await pool
      .request({
        method: def.method,
        path: def.path,
        headers: { 'content-type': 'application/json', [assertionHeader]: assertion() },
        body: JSON.stringify({ accessToken }),
        signal: AbortSignal.timeout(deadlineMs),
      })
      .catch((cause: unknown) => {
        throw unavailable('service_unavailable', 'Sessions cannot be checked at the moment', { cause });
      });
    const body: unknown = await response.body.json().catch(() => undefined);
    if (response.statusCode !== 200)
      throw unavailable('service_unavailable', 'Sessions cannot be checked at the moment', {
        detail: `identity answered ${response.statusCode}`,
      });
    return def.answer.parse(body).session;
  },
});
