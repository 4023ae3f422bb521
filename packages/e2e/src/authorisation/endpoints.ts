import { createPrivateKey, sign } from 'node:crypto';
import { routes } from '@overtone/contracts';
import type { Instance } from '../instance.ts';
import { settingOf } from '../service-access.ts';
import type { CallerRole } from './outcomes.ts';
import type { Person } from './fixtures.ts';

export type Caller = Person & { role: Exclude<CallerRole, 'none'> };
/** The base URL of a request and the headers that identify the caller. */
export type Endpoint = (route: string, caller: Caller | null) => { base: string; headers: Record<string, string> };

/** The two endpoints of a route: the gateway with a token, and the service with the gateway's assertion. */
export async function endpointsOf(instance: Instance) {
  const { services } = await instance.status();
  const urls = new Map(services.map(({ name, url }) => [name, url]));
  const serviceOf = new Map<string, string>(routes.map(({ method, path, service }) => [`${method} ${path}`, service]));
  const key = createPrivateKey(await settingOf(instance, 'edge-gateway', 'ASSERTION_PRIVATE_KEY'));

  const assertion = (audience: string, caller: Caller | null): string => {
    const now = Math.floor(Date.now() / 1000);
    const identity = caller && { sub: caller.id, sid: caller.session, role: caller.role, tex: (now + 600) * 1000 };
    const text = `${encoded({ alg: 'ES256', typ: 'JWT' })}.${encoded({ aud: audience, iat: now, exp: now + 30, ...identity })}`;
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };

  const gateway: Endpoint = (_route, caller) => ({
    base: instance.baseUrl,
    headers: caller ? { authorization: `Bearer ${caller.token}` } : {},
  });
  const service: Endpoint = (route, caller) => {
    const name = serviceOf.get(route) ?? '';
    return { base: urls.get(name) ?? '', headers: { 'x-overtone-assertion': assertion(name, caller) } };
  };
  return {
    gateway,
    service,
    hasService: (route: string): boolean =>
      Boolean(urls.get(serviceOf.get(route) ?? '')) && serviceOf.get(route) !== 'edge-gateway',
  };
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
