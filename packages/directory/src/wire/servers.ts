import { isIP } from 'node:net';

/** The address of a server. */
export type ServerAddress = {
  readonly host: string;
  readonly port: number;
  readonly security: 'plain' | 'start_tls' | 'ldaps';
};

/** A server setting that cannot be read. */
export class NoServer extends Error {
  override readonly name = 'NoServer';
}

/**
 * Reads the server setting: `host`, `ldap://host`, `ldaps://host[:port]`, several separated by spaces. A port in an
 * address wins over the port setting, a scheme over the SSL setting.
 * @throws NoServer
 */
export function parseServers(config: {
  server: string;
  port: number;
  useSsl: boolean;
  useTls: boolean;
}): ServerAddress[] {
  const texts = config.server.split(/[\s,]+/).filter((text) => text !== '');
  if (texts.length === 0) throw new NoServer('No server is set.');
  return texts.map((text) => parseServer(text, config));
}

const address = /^(?:(ldaps?):\/\/)?(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?\.?)(?::(\d{1,5}))?\/?$/i;

function parseServer(text: string, config: { port: number; useSsl: boolean; useTls: boolean }): ServerAddress {
  const [, scheme, host, ownPort] = address.exec(text) ?? [];
  if (host === undefined) {
    throw new NoServer(`"${text.slice(0, 200)}" is no server: write host, ldap://host or ldaps://host:port.`);
  }
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  if (host.startsWith('[') && isIP(bare) !== 6) throw new NoServer(`"${bare}" is no IPv6 address.`);
  const port = ownPort === undefined ? config.port : Number(ownPort);
  if (port < 1 || port > 65_535) throw new NoServer(`${port} is no port.`);
  const ssl = scheme === undefined ? config.useSsl : scheme.toLowerCase() === 'ldaps';
  if (ssl && config.useTls) throw new NoServer('SSL (LDAPS) and StartTLS exclude each other.');
  return { host: bare.toLowerCase(), port, security: ssl ? 'ldaps' : config.useTls ? 'start_tls' : 'plain' };
}

/** The address as a URL. */
export function serverText({ host, port, security }: ServerAddress): string {
  return `${security === 'ldaps' ? 'ldaps' : 'ldap'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
