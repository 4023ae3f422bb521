import { createServer, type Socket } from 'node:net';
import { TLSSocket, createSecureContext, type SecureContextOptions } from 'node:tls';
import { extent, readRequest, type Asked, type AskedFilter, type Attributes } from './scripted-ldap-messages.ts';

export * from './scripted-ldap-messages.ts';

/** What a script can do with a connection. */
export type Line = {
  /** Writes bytes as they are. */
  readonly send: (...bytes: readonly Uint8Array[]) => void;
  /** Continues encrypted; sends no response on its own. */
  readonly startTls: () => void;
  readonly encrypted: () => boolean;
  readonly socket: () => Socket;
  /** The connection's number, from 1. */
  readonly number: number;
};

/** An LDAP server whose responses a test scripts byte for byte; it records the requests. */
export type ScriptedLdap = {
  readonly port: number;
  readonly url: string;
  /** All requests of all connections. */
  readonly requests: readonly Asked[];
  /** How many connections there were. */
  readonly connections: () => number;
  /** Everything that came unencrypted. */
  readonly clearText: () => Buffer;
  readonly stop: () => Promise<void>;
};

/** How it behaves. */
export type Script = {
  readonly request?: (asked: Asked, line: Line) => void;
  readonly connected?: (line: Line) => void;
  readonly tls?: SecureContextOptions;
  /** Encrypted from the first byte on. */
  readonly ldaps?: boolean;
};

/** Starts a scripted server on a port of its own. */
export async function startScriptedLdap(script: Script): Promise<ScriptedLdap> {
  const requests: Asked[] = [];
  const clear: Buffer[] = [];
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((raw) => {
    count += 1;
    open.add(raw);
    raw.setNoDelay(true);
    raw.on('close', () => open.delete(raw));
    converse(raw, { script, requests, clear, number: count });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    url: `ldap://127.0.0.1:${port}`,
    requests,
    connections: () => count,
    clearText: () => Buffer.concat(clear),
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Conversation = {
  readonly script: Script;
  readonly requests: Asked[];
  readonly clear: Buffer[];
  readonly number: number;
};

function converse(raw: Socket, { script, requests, clear, number }: Conversation): void {
  let socket: Socket = raw;
  let kept = Buffer.alloc(0);
  const hear = (chunk: Buffer): void => {
    kept = Buffer.concat([kept, chunk]);
    // A client that already speaks TLS is not parsed.
    while (kept[0] === 0x30 && kept.length >= extent(kept, 0).end) {
      const { end } = extent(kept, 0);
      const asked = readRequest(kept.subarray(0, end));
      kept = kept.subarray(end);
      requests.push(asked);
      script.request?.(asked, line);
    }
  };
  const hearClear = (chunk: Buffer) => {
    clear.push(chunk);
    hear(chunk);
  };
  const startTls = (): void => {
    raw.off('data', hearClear);
    socket = new TLSSocket(raw, { isServer: true, secureContext: createSecureContext(script.tls) });
    socket.on('error', () => raw.destroy());
    socket.on('data', hear);
  };
  const line: Line = {
    send: (...bytes) => {
      if (socket.writable) socket.write(Buffer.concat(bytes));
    },
    startTls,
    encrypted: () => socket !== raw,
    socket: () => socket,
    number,
  };
  raw.on('error', () => raw.destroy());
  if (script.ldaps === true) startTls();
  else raw.on('data', hearClear);
  script.connected?.(line);
}

/** Whether an entry with these attributes matches a filter; case is ignored. */
export function matchesFilter(filter: AskedFilter, attributes: Attributes): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.of.every((part) => matchesFilter(part, attributes));
    case 'or':
      return filter.of.some((part) => matchesFilter(part, attributes));
    case 'not':
      return !matchesFilter(filter.of, attributes);
    case 'present':
      return valuesOf(attributes, filter.attribute).length > 0;
    case 'equal':
      return valuesOf(attributes, filter.attribute).some((value) => same(String(value), filter.value.toString()));
    case 'other':
    default:
      return false;
  }
}

function valuesOf(attributes: Attributes, name: string): readonly (string | Buffer)[] {
  const found = Object.entries(attributes).find(([key]) => same(key, name))?.[1];
  return found === undefined ? [] : Array.isArray(found) ? (found as readonly string[]) : [found as string];
}

function same(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
