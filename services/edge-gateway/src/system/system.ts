import { systemRoutes } from '@overtone/contracts';
import { runChecks, type Checks } from '@overtone/service-kit';
import { createDocs } from '../docs/docs.ts';
import { sendJson, type Exchange } from '../exchange/exchange.ts';
import { sendAsset } from '../ui/ui.ts';

export type System = {
  /** Sends the response of one of the edge's own routes. */
  sendRoute: (exchange: Exchange, route: unknown) => Promise<void>;
  /** @returns false when the path is no file of the API's description. */
  sendDocsFile: (exchange: Exchange) => Promise<boolean>;
};

/** What the edge answers itself: version, health, and the description of the API. */
export function createSystem({ version, urls, checks }: { version: string; urls: URL[]; checks: Checks }): System {
  const docs = createDocs(version);
  const health = createHealth(urls, checks);
  return {
    sendRoute: async (exchange, route) => {
      if (route === systemRoutes.version) return sendJson(exchange, 200, { version });
      if (route === systemRoutes.health) return sendJson(exchange, 200, { status: await health(), version });
      const asset = docs(exchange.path);
      if (asset) return sendAsset(exchange, { asset, cacheControl: 'no-cache' });
    },
    sendDocsFile: async (exchange) => {
      const { path, req } = exchange;
      const asset = path.startsWith('/api/docs/') && req.method === 'GET' ? docs(path) : undefined;
      if (!asset) return false;
      exchange.route = '/api/docs/{file}';
      await sendAsset(exchange, { asset, cacheControl: 'public, max-age=300' });
      return true;
    },
  };
}

type Health = 'healthy' | 'degraded';
const keepMs = 1_000;
const answerMs = 1_000;

/** Whether everything behind the edge is ready; requested at most once a second, however many clients ask. */
function createHealth(services: readonly URL[], checks: Checks) {
  let last: { at: number; health: Promise<Health> } | undefined;
  const look = async (): Promise<Health> => {
    const [own, others] = await Promise.all([runChecks(checks), Promise.all(services.map(isReady))]);
    const good = Object.values(own.results).every((result) => result === 'ok') && others.every(Boolean);
    return good ? 'healthy' : 'degraded';
  };
  return (): Promise<Health> => {
    if (!last || Date.now() - last.at > keepMs) last = { at: Date.now(), health: look() };
    return last.health;
  };
}

/** A service that answers, and whose critical checks do not fail: its database, for example. */
async function isReady(service: URL): Promise<boolean> {
  try {
    const response = await fetch(new URL('/health/ready', service), { signal: AbortSignal.timeout(answerMs) });
    await response.body?.cancel();
    return response.status !== 503;
  } catch {
    return false;
  }
}
