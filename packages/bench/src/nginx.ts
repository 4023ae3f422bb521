import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@overtone/e2e/instance';
import { until } from '@overtone/e2e/runner';

/** nginx on loopback with a configuration of ours: the peer of edge and upload. */
export type Nginx = { url: string; stop: () => Promise<void> };

const configuration = (folder: string, port: number, locations: string): string => `
pid ${folder}/pid;
error_log ${folder}/error.log;
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
  client_max_body_size 0;
  server { listen 127.0.0.1:${port}; ${locations} }
}`;

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((done) => (child.exitCode === null ? child.once('exit', () => done()) : done()));

/** Starts nginx with the given server block; `$FOLDER` in it stands for a folder of its own. */
export const startNginx = async (locations: string, upstream = ''): Promise<Nginx> => {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-nginx-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'files'));
  const port = await freePort();
  const text = configuration(folder, port, locations.replaceAll('$FOLDER', folder)).replace(
    'http {',
    `http {\n${upstream}`,
  );
  await writeFile(join(folder, 'nginx.conf'), text);
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder, '-g', 'daemon off;'], {
    stdio: 'inherit',
  });
  const url = `http://127.0.0.1:${port}`;
  await until('nginx answers', async () => (await fetch(url)).status > 0, 10_000);
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
