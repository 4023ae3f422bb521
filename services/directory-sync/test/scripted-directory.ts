import {
  answers,
  entry,
  matchesFilter,
  message,
  pageControl,
  reference,
  result,
  startScriptedLdap,
  type Asked,
  type Line,
} from '@overtone/testkit/ldap';

export const base = 'dc=example,dc=org';

export function groupDn(name: string) {
  return `cn=${name},ou=groups,${base}`;
}

export type Entry = { dn: string; attributes: Record<string, string[]> };

/** A fault at the request with number `at`, or at all requests from `at` to `upTo`. */
export type Fault = { at: number; kind: string; upTo?: number };

/** Faults of a bind. */
export const bindFaultKinds = [
  ...[1, 2, 8, 32, 34, 48, 49, 50, 51, 52, 53, 80].map((code) => `result ${code}`),
  'cut before the answer',
  'no answer to this id',
  'bytes that are no LDAP',
  'an entry too long',
  'notice of disconnection',
] as const;

/** Result codes of a failed search. */
const errorCodes = [1, 2, 3, 4, 10, 11, 32, 50, 51, 52, 53, 80];
/** Faults of one response, by a server, a network or an attacker. */
export const faultKinds = [
  ...errorCodes.map((code) => `result ${code}`),
  'cut before the answer',
  'cut in an entry',
  'cut before the result',
  'no answer to this id',
  'no page control',
  'the same page again',
  'an empty page, then on',
  'a reference',
  'bytes that are no LDAP',
  'an entry too long',
  'notice of disconnection',
  'one entry left out',
  'nothing at all and success',
] as const;

const rootDse: Entry = {
  dn: '',
  attributes: {
    objectClass: ['top'],
    namingContexts: [base],
    supportedLDAPVersion: ['3'],
    supportedControl: ['1.2.840.113556.1.4.319'],
  },
};

type Search = Extract<Asked, { kind: 'search' }>;

function findEntries(entries: readonly Entry[], search: Search): Entry[] {
  if (search.scope === 0) {
    const one = search.base === '' ? rootDse : entries.find(({ dn }) => dn === search.base);
    return one ? [one] : [];
  }
  return entries.filter(
    (candidate) => candidate.dn.endsWith(search.base) && matchesFilter(search.filter, candidate.attributes),
  );
}

function encodeEntry({ dn, attributes }: Entry, search: Search): Buffer {
  const wanted = new Set(search.attributes.map((name) => name.toLowerCase()));
  const returned = Object.entries(attributes).filter(([name]) => wanted.has(name.toLowerCase()));
  return entry(dn, Object.fromEntries(returned));
}

/** A small LDAP server that returns pages of `pageSize` entries, with at most one fault at a time. */
export async function startScriptedDirectory() {
  let entries: readonly Entry[] = [];
  let pageSize = 2;
  let fault: Fault | null = null;
  let requests = 0;
  let bindFault: Fault | null = null;
  let binds = 0;

  const respondToBind = (id: number, line: Line): void => {
    binds += 1;
    const kind = bindFault && binds === bindFault.at ? bindFault.kind : '';
    const code = kind.startsWith('result ') ? Number(kind.slice(7)) : 0;
    if (kind === 'cut before the answer') return void line.socket().end();
    if (kind === 'bytes that are no LDAP') return line.send(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
    if (kind === 'an entry too long') return line.send(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]));
    if (kind === 'notice of disconnection') return line.send(message(0, result(answers.extended, 52)));
    line.send(message(kind === 'no answer to this id' ? id + 77 : id, result(answers.bind, code)));
  };

  const respond = (request: Search, line: Line): void => {
    const { id } = request;
    requests += 1;
    const kind = fault && requests >= fault.at && requests <= (fault.upTo ?? fault.at) ? fault.kind : '';
    const all = findEntries(entries, request);
    const missing = request.scope === 0 && all.length === 0;
    const from = request.page ? Number(request.page.cookie.toString() || 0) : 0;
    const to = request.page ? from + pageSize : Math.max(1, request.sizeLimit || all.length);
    let page = kind === 'an empty page, then on' ? [] : all.slice(from, to);
    if (kind === 'one entry left out') page = page.slice(1);
    if (kind === 'nothing at all and success') page = [];
    const rest = kind === 'an empty page, then on' || to < all.length;
    const next = kind === 'the same page again' ? from : kind === 'an empty page, then on' ? from : to;
    const cookie = rest && kind !== 'nothing at all and success' ? String(next) : '';
    const controls = request.page && kind !== 'no page control' ? [pageControl(cookie)] : [];
    // More entries than the requested limit are reported as sizeLimitExceeded.
    const tooMany = !request.page && request.sizeLimit > 0 && all.length > request.sizeLimit;
    const code = kind.startsWith('result ') ? Number(kind.slice(7)) : missing ? 32 : tooMany ? 4 : 0;
    const done = message(id, result(answers.done, code), controls);
    const bodies = page.map((one) => message(id, encodeEntry(one, request)));
    const cut = (...bytes: Buffer[]) => {
      line.send(...bytes);
      line.socket().end();
    };
    switch (kind) {
      case 'cut before the answer':
        return cut();
      case 'cut in an entry':
        return cut((bodies[0] ?? done).subarray(0, 9));
      case 'cut before the result':
        return cut(...bodies);
      case 'no answer to this id':
        return line.send(message(id + 77, result(answers.done, 0)));
      case 'a reference':
        return line.send(...bodies, message(id, reference('ldap://127.0.0.1:1/dc=other')), done);
      case 'bytes that are no LDAP':
        return line.send(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
      case 'an entry too long':
        return line.send(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]));
      case 'notice of disconnection':
        return line.send(message(0, result(answers.extended, 52)));
      default:
        return line.send(...bodies, done);
    }
  };

  let openConnections = 0;
  let maxConnections = 0;
  let connections = 0;
  const server = await startScriptedLdap({
    connected: (line) => {
      connections += 1;
      maxConnections = Math.max(maxConnections, (openConnections += 1));
      line.socket().once('close', () => (openConnections -= 1));
    },
    request: (request, line) => {
      if (request.kind === 'search') return respond(request, line);
      if (request.kind === 'bind') respondToBind(request.id, line);
    },
  });
  return {
    port: server.port,
    /** Replaces the entries and resets the request counters. */
    hold: (world: { entries: readonly Entry[]; pageSize: number; fault: Fault | null; bindFault?: Fault }): void => {
      ({ entries, pageSize, fault } = world);
      bindFault = world.bindFault ?? null;
      requests = 0;
      binds = 0;
      connections = 0;
      maxConnections = openConnections;
    },
    requests: () => requests,
    binds: () => binds,
    /** Connections since `hold`: their number and the maximum of concurrent ones. */
    connections: () => ({ all: connections, atOnce: maxConnections }),
    stop: server.stop,
  };
}

export type ScriptedDirectory = Awaited<ReturnType<typeof startScriptedDirectory>>;
