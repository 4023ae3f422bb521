import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type S3Server = { endpoint: string; bucket: string; stop(): Promise<void> };

/** A real S3 server in its own process, on a free port of the loopback. Its key is `S3RVER`/`S3RVER`. */
export const startS3Server = async (): Promise<S3Server> => {
  const directory = await mkdtemp(join(tmpdir(), 'overtone-s3-'));
  const port = await freePort();
  const bucket = 'overtone-test';
  const bin = join(dirname(createRequire(import.meta.url).resolve('s3rver/package.json')), 'bin/s3rver.js');
  const args = ['-d', directory, '-a', '127.0.0.1', '-p', String(port), '-s', '--configure-bucket', bucket];
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {},
  });
  await answers(port, child);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    stop: async () => {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
};

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
};

const answers = async (port: number, child: { exitCode: number | null }): Promise<void> => {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`the S3 server ended with ${child.exitCode}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined));
      socket.once('error', () => resolve(false));
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error('the S3 server did not answer within 10 s');
};
