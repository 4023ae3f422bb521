import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { freePort, startNats, startPostgres, waitFor } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { migrate } from './index.ts';

const main = fileURLToPath(new URL('../test/starting-service.main.ts', import.meta.url));
const [nats, postgres] = await Promise.all([
  stopAfterFile(startNats()),
  stopAfterFile(startPostgres({ durable: true })),
]);
/** A service in a separate process. An orderly stop takes an hour, so a quick exit shows an immediate stop. */
async function startService(databaseUrl: string) {
  const internalPort = await freePort();
  const env = {
    NATS_URL: nats.url,
    DATABASE_URL: databaseUrl,
    API_PORT: '0',
    INTERNAL_PORT: String(internalPort),
    LOG_FORMAT: 'json',
    DRAIN_DELAY_MS: '3600000',
    SHUTDOWN_GRACE_MS: '3600000',
  };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exitCode = new Promise<number | null>((resolve) => child.once('exit', resolve));
  cleanUpAfterTest(async () => {
    child.kill('SIGKILL');
    await exitCode;
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const waitForLog = (message: string, about = ''): Promise<boolean> =>
    waitFor(() => {
      if (output.split('\n').some((line) => line.includes(`"msg":"${message}"`) && line.includes(about))) return true;
      throw new Error(`${message} ${about} is not in:\n${output}`);
    });
  const readiness = async () => {
    const response = await fetch(`http://127.0.0.1:${internalPort}/health/ready`);
    return { status: response.status, body: await response.json() };
  };
  return { process: child, exitCode, waitForLog, readiness };
}

describe('a service that starts before its database', () => {
  it('logs the wait, reports the database as not ready, and starts when the database is available', async () => {
    await migrate({ url: postgres.url, passwords: {} });
    await postgres.kill9();
    const service = await startService(postgres.url);
    await service.waitForLog('waiting for the database');
    expect(await service.readiness()).toMatchObject({
      status: 503,
      body: { checks: { broker: 'ok', database: expect.stringMatching(/^error/) } },
    });
    await postgres.restart();
    await service.waitForLog('the database is there');
    await service.waitForLog('ready');
    expect(await service.readiness()).toMatchObject({ status: 200, body: { checks: { database: 'ok' } } });
  });

  it('waits for the tables', async () => {
    const url = postgres.url.replace(/\/postgres$/, '/template1');
    const service = await startService(url);
    await service.waitForLog('waiting for the database', 'v0 < v');
    await migrate({ url, passwords: {} });
    await service.waitForLog('ready');
  });

  it('exits immediately with code 0 on SIGTERM while it waits', async () => {
    const service = await startService(`postgresql://media@127.0.0.1:${await freePort()}/overtone`);
    await service.waitForLog('waiting for the database', 'ECONNREFUSED');
    service.process.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
  });
});
