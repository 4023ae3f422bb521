import { connect } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, freePort, type ProcessSpec } from '@overtone/cli/servers';
import { start, type TestServer } from './servers.ts';

/** What stands in the configuration: files beside it by name, and the body of the one `server` block. */
export type NginxOptions = {
  readonly files?: Readonly<Record<string, string>>;
  /** `listen` is written already; relative names mean the files, `.` their folder. */
  readonly server: string;
  /** Blocks beside the server. */
  readonly upstream?: string;
  readonly tls?: boolean;
};

/** A real nginx on loopback, in front of something of ours. */
export async function startNginx(options: NginxOptions): Promise<TestServer> {
  const port = await freePort();
  const spec = (folder: string): ProcessSpec => ({
    name: 'nginx',
    command: findProgram('nginx') ?? 'nginx',
    args: ['-c', join(folder, 'nginx.conf'), '-p', folder],
    env: { PATH: process.env['PATH'] ?? '' },
    stopSignal: 'SIGTERM',
    prepare: async () => {
      mkdirSync(folder, { recursive: true });
      for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(folder, name), text);
      writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, options));
    },
    probe: () => answers(port),
  });
  return start(spec, { port, url: `http${options.tls ? 's' : ''}://127.0.0.1:${port}` });
}

function configuration(folder: string, port: number, { server, upstream = '', tls }: NginxOptions): string {
  return `
daemon off;
pid ${folder}/pid;
error_log stderr warn;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  large_client_header_buffers 4 32k;
  ${upstream}
  server { listen 127.0.0.1:${port}${tls ? ' ssl' : ''}; ${server} }
}`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
