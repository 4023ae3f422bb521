import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { freePort } from '@overtone/cli/servers';
import { start, type TestServer } from './servers.ts';

/** A real S3 server of one's own, with one bucket. */
export type S3Server = {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
} & TestServer;

/** Starts one in a process of its own. */
export async function startS3(): Promise<S3Server> {
  const port = await freePort();
  const bucket = 'overtone-test';
  const program = join(dirname(createRequire(import.meta.url).resolve('s3rver/package.json')), 'bin/s3rver.js');
  const server = await start(
    (folder) => ({
      name: 's3',
      command: process.execPath,
      args: [program, '-d', folder, '-a', '127.0.0.1', '-p', String(port), '-s', '--configure-bucket', bucket],
      env: {},
      stopSignal: 'SIGKILL',
      probe: () => takesConnections(port),
    }),
    { port, url: `http://127.0.0.1:${port}` },
  );
  return { ...server, bucket, accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
