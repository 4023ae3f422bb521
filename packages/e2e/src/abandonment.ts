import { randomUUID, sign } from 'node:crypto';
import { connect } from 'node:net';
import { routes, type RouteDef, type ServiceName } from '@overtone/contracts';

/** How a client closes the connection, and after which part of the exchange. */
const ends = ['FIN', 'RST'] as const;
const stages = ['head', 'first byte', 'half of the body', 'last byte but one', 'whole request', 'answer'] as const;
type Case = {
  route: RouteDef;
  end: (typeof ends)[number];
  stage: (typeof stages)[number];
  signedIn: boolean;
  accepted: boolean;
};

/** The target of a request: the public port, or the API port of the route's service. */
export type Target = { port: number; authorization: (route: RouteDef) => string };

const bodySize = 2_000;
const contentTypes: Record<RouteDef['bodyKind'], string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  raw: 'multipart/form-data; boundary=cut',
};

/** `count` cases for each route of the contracts; combinations repeat when there are fewer. */
export function casesPerRoute(count: number): Case[] {
  return [...routes]
    .sort((x, y) => Number(endsSessions(x)) - Number(endsSessions(y)))
    .flatMap((route) => {
      const all = combinations(route);
      return Array.from({ length: count }, (_, i) => all[i % all.length] as Case);
    });
}

function headOf({ route, signedIn, accepted }: Case, target: Target): string {
  return [
    `${route.method} ${route.path.replaceAll(/\{\w+\}/g, () => randomUUID())} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Content-Type: ${accepted ? contentTypes[route.bodyKind] : 'text/plain'}`,
    `Content-Length: ${bodySize}`,
    ...(route.path.includes('/tus') ? ['Tus-Resumable: 1.0.0', 'Upload-Length: 2000', 'Upload-Offset: 0'] : []),
    ...(signedIn ? [target.authorization(route)] : []),
    '\r\n',
  ].join('\r\n');
}

const partOf: Record<Case['stage'], (body: string) => string> = {
  head: () => '',
  'first byte': (body) => body.slice(0, 1),
  'half of the body': (body) => body.slice(0, bodySize / 2),
  'last byte but one': (body) => body.slice(0, -1),
  'whole request': (body) => body,
  answer: (body) => body,
};

/** Sends a request up to its stage and closes the connection. @returns when the server has closed it, too. */
export function abandon(testCase: Case, target: Target): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(target.port, '127.0.0.1');
    const disconnect = (): void => void (testCase.end === 'FIN' ? socket.end() : socket.resetAndDestroy());
    // The server must close its side after a FIN.
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(
          `still open 60 s after ${testCase.end} at "${testCase.stage}" of ${testCase.route.method} ${testCase.route.path}`,
        ),
      );
    }, 60_000);
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.once('data', () => {
      if (testCase.stage === 'answer') disconnect();
    });
    socket.resume();
    socket.on('connect', () => {
      socket.write(headOf(testCase, target));
      socket.write(partOf[testCase.stage](bodyOf(testCase.route.bodyKind)), () => {
        if (testCase.stage !== 'answer') disconnect();
      });
    });
  });
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** An assertion like the edge's (ES256), for a user that does not exist in the database. */
export function assertionFor(privateKeyPem: string, audience: ServiceName): string {
  const now = Math.floor(Date.now() / 1000);
  const caller = { sub: randomUUID(), sid: randomUUID(), role: 'super_admin', tex: Date.now() + 600_000 };
  const claims = { ...caller, aud: audience, iat: now, exp: now + 30 };
  const text = `${encoded({ alg: 'ES256', typ: 'JWT' })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKeyPem, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Every combination for a route, ordered so that the first ones differ in all properties. */
function combinations(route: RouteDef): Case[] {
  const all: Case[] = [];
  for (let i = 0; i < stages.length * 8; i++) {
    const stage = stages[i % stages.length] as Case['stage'];
    const round = Math.floor(i / stages.length);
    const bit = (value: number): boolean => ((round ^ i) & (1 << value)) !== 0;
    all.push({ route, stage, end: bit(0) ? 'FIN' : 'RST', signedIn: !bit(1), accepted: !bit(2) });
  }
  return all;
}

/** Routes that end the caller's sessions are tested last, so that the others are called with a valid session. */
function endsSessions(route: RouteDef): boolean {
  return /\/auth\/|\/sessions|\/users\/me/.test(route.path);
}

function bodyOf(kind: RouteDef['bodyKind']): string {
  const beginnings = {
    json: '{"name":"',
    form: 'username=',
    raw: '--cut\r\nContent-Disposition: form-data; name="file"; filename="cut\0off.wav"\r\nContent-Type: audio/wav\r\n\r\n',
  };
  return beginnings[kind].padEnd(bodySize, 'x');
}
