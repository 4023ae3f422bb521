import { createPrivateKey, sign } from 'node:crypto';
import { routes } from '@overtone/contracts';
import type { Instance } from '../instance.ts';
import { settingOf } from '../service-access.ts';
import type { Asker } from './outcomes.ts';
import type { Person } from './scenery.ts';

export type Caller = Person & { role: Exclude<Asker, 'none'> };
/** Where a request for a route goes, and how it says who is asking. */
export type Door = (route: string, caller: Caller | null) => { base: string; headers: Record<string, string> };

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The two ways to a service: through the gateway with a token, and straight to it with what the gateway would say. */
export const doorsOf = async (instance: Instance) => {
  const { services } = await instance.status();
  const urls = new Map(services.map((s) => [s.name, s.url]));
  const serviceOf = new Map<string, string>(routes.map((r) => [`${r.method} ${r.path}`, r.service]));
  const key = createPrivateKey(await settingOf(instance, 'edge-gateway', 'ASSERTION_PRIVATE_KEY'));

  const assertion = (audience: string, caller: Caller | null): string => {
    const now = Math.floor(Date.now() / 1000);
    const who = caller && { sub: caller.id, sid: caller.session, role: caller.role, tex: (now + 600) * 1000 };
    const text = `${encoded({ alg: 'ES256', typ: 'JWT' })}.${encoded({ aud: audience, iat: now, exp: now + 30, ...who })}`;
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };

  const gateway: Door = (_route, caller) => ({
    base: instance.baseUrl,
    headers: caller ? { authorization: `Bearer ${caller.token}` } : {},
  });
  const service: Door = (route, caller) => {
    const name = serviceOf.get(route) ?? '';
    return { base: urls.get(name) ?? '', headers: { 'x-overtone-assertion': assertion(name, caller) } };
  };
  return {
    gateway,
    service,
    hasService: (route: string): boolean =>
      Boolean(urls.get(serviceOf.get(route) ?? '')) && serviceOf.get(route) !== 'edge-gateway',
  };
};
