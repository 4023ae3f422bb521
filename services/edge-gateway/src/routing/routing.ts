import type { RouteDef } from '@overtone/contracts';
import { refusals } from '../refusals/refusals.ts';

export {
  createClientView,
  createTrustedProxies,
  limitKey,
  plain,
  type ClientView,
  type ClientViewOf,
} from './client.ts';
export { requestHeaders, responseHeaders } from './headers.ts';

export type Match = { kind: 'route'; def: RouteDef } | { kind: 'wrong_method'; allow: string[] } | { kind: 'unknown' };

type Node = { literals: Map<string, Node>; param: Node | undefined; methods: Map<string, RouteDef> };

/** Compiles the catalogue to a tree of path segments; a literal segment wins over a parameter. */
export function createRouter(routes: readonly RouteDef[]) {
  const root = node();
  for (const def of routes) {
    let at = root;
    for (const segment of def.path.slice(1).split('/')) {
      if (segment.startsWith('{')) at = at.param ??= node();
      else {
        const next = at.literals.get(segment) ?? node();
        at.literals.set(segment, next);
        at = next;
      }
    }
    at.methods.set(def.method, def);
  }

  const find = (from: Node, segments: string[], i: number): Node | undefined => {
    const segment = segments[i];
    if (segment === undefined) return from.methods.size > 0 ? from : undefined;
    const literal = from.literals.get(segment);
    const found = literal && find(literal, segments, i + 1);
    if (found) return found;
    return from.param && segment !== '' ? find(from.param, segments, i + 1) : undefined;
  };

  return (method: string, path: string): Match => {
    const found = find(root, path.slice(1).split('/'), 0);
    if (!found) return { kind: 'unknown' };
    const def = found.methods.get(method) ?? (method === 'HEAD' ? found.methods.get('GET') : undefined);
    return def ? { kind: 'route', def } : { kind: 'wrong_method', allow: allowed(found.methods) };
  };
}

/** What the steps of a request need to know of its route. */
export type Target = Pick<RouteDef, 'path' | 'service' | 'access' | 'bodyKind' | 'csrfExempt' | 'setsCookies'>;

/** The push channel is no route of the catalogue: socket.io also uses its path over plain HTTP. */
export const pushChannel: Target = {
  path: '/api/ws',
  service: 'realtime-gateway',
  access: 'public',
  bodyKind: 'json',
  csrfExempt: true,
  setsCookies: false,
};

export function isPushChannel(path: string): boolean {
  return path === pushChannel.path || path === `${pushChannel.path}/`;
}

/** The route of a request. @throws AppError not_found, or invalid with the allowed methods. */
export type ResolveRoute = (request: { req: { method?: string | undefined }; path: string }) => Target;

export function createRouteResolver(routes: readonly RouteDef[]): ResolveRoute {
  const router = createRouter(routes);
  return ({ req: { method = '' }, path }) => {
    if (isPushChannel(path)) return pushChannel;
    const match = router(method, path);
    if (match.kind === 'route') return match.def;
    throw match.kind === 'unknown' ? refusals.unknownRoute() : refusals.wrongMethod(match.allow.join(', '));
  };
}

function allowed(methods: Map<string, RouteDef>): string[] {
  const names = [...methods.keys()];
  return names.includes('GET') && !names.includes('HEAD') ? [...names, 'HEAD'] : names;
}

const dots = /^(\.|%2e){1,2}$/i;

/**
 * The path of a request target, or null when it is none of ours: a full URL, a `.` or `..` segment in any spelling, a
 * backslash, or an escape that does not decode.
 */
export function pathOf(target: string): string | null {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  if (!path.startsWith('/') || path.includes('\\')) return null;
  if (!path.includes('.') && !path.includes('%')) return path;
  if (path.split('/').some((segment) => dots.test(segment))) return null;
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return null;
  }
}

function node(): Node {
  return { literals: new Map(), param: undefined, methods: new Map() };
}
