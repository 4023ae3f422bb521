import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { mediaRpc, routesOf } from '@overtone/contracts';
import { freePort, startNats, waitFor } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { z } from 'zod';
import { createBus } from './bus/bus.ts';
import { handle } from './http/route.ts';
import { createLog, standardOutput } from './log.ts';
import { createMetrics } from './metrics.ts';
import { catchUp } from './periodic.ts';
import { createService, rpc, type Service, type ServiceDefinition, type Slice } from './service.ts';

const log = createLog('media', { LOG_LEVEL: 'silent' as 'fatal', LOG_FORMAT: 'json' });
const route = routesOf('media')('GET', '/api/slow', 'public', {
  summary: 'Answers when the test releases it',
  answer: z.object({ done: z.boolean() }),
});
const nats = await stopAfterFile(startNats());
/** A gate that a test opens. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

async function start(change: Slice = {}, env: Partial<ServiceDefinition['env']> = {}) {
  const asked = { count: 0 };
  const hold = gate();
  const slow = handle(route, async () => {
    asked.count += 1;
    await hold.opened;
    return { done: true };
  });
  const service: Service = createService({
    name: 'media',
    version: '1.2.3',
    env: {
      SERVICE_HOST: '127.0.0.1',
      API_PORT: 0,
      INTERNAL_PORT: 0,
      LOG_LEVEL: 'fatal',
      LOG_FORMAT: 'text',
      DRAIN_DELAY_MS: 0,
      SHUTDOWN_GRACE_MS: 60_000,
      ...env,
    },
    log,
    output: standardOutput,
    metrics: createMetrics(),
    bus: createBus({ service: 'media', url: nats.url, log }),
    requiredParts: [],
    whoIs: () => null,
    slices: [{ routes: [slow] }, change],
  });
  const { apiPort, internalPort } = await service.start();
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= service.stop());
  cleanUpAfterTest(async () => {
    hold.open();
    await stop();
  });
  return { asked, hold, stop, apiPort, internalPort };
}

type Answered = { status: number | undefined; connection: string | undefined; reused: boolean };

function ask(port: number, agent: Agent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/api/slow', agent }, (res: IncomingMessage) => {
      res.resume().once('end', () =>
        resolve({
          status: res.statusCode,
          connection: res.headers.connection,
          reused: sent.reusedSocket,
        }),
      );
    });
    sent.once('error', reject).end();
  });
}

function oneConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanUpAfterTest(async () => agent.destroy());
  return agent;
}

function refused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(false));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
    socket.end();
  });
}

async function readiness(port: number): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/health/ready`, { headers: { connection: 'close' } })).status;
}

/** A service in a process of its own. */
function launch(env: Record<string, string>, stdout: 'pipe' | number = 'pipe') {
  const main = fileURLToPath(new URL('../test/stopping.main.ts', import.meta.url));
  const given = {
    NATS_URL: nats.url,
    API_PORT: '0',
    INTERNAL_PORT: '0',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'info',
    ...env,
  };
  const child = spawn(process.execPath, [main], { env: given, stdio: ['ignore', stdout, 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  cleanUpAfterTest(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { process: child, ended, said: () => said };
}

/** The same, once it is ready. */
async function startProcess(env: Record<string, string> = {}) {
  const { said, ...child } = launch(env);
  const port = (name: string): number => Number(new RegExp(`"${name}":(\\d+)`).exec(said())?.[1] ?? 0);
  await waitFor(() => port('internal_port') > 0);
  return { ...child, apiPort: port('api_port'), internalPort: port('internal_port') };
}

describe('a service that stops', () => {
  it('finishes the request in progress and closes its connection with it', async () => {
    const running = await start();
    const answered = ask(running.apiPort, oneConnection());
    await waitFor(() => running.asked.count === 1);
    let stopped = false;
    const stopping = running.stop().then(() => (stopped = true));
    await waitFor(async () => (await readiness(running.internalPort)) === 503);
    expect(stopped).toBe(false);
    running.hold.open();
    expect(await answered).toMatchObject({ status: 200 });
    await stopping;
  });

  it('is not ready before it stops taking connections', async () => {
    const child = await startProcess({ DRAIN_DELAY_MS: '3600000' });
    expect(await readiness(child.internalPort)).toBe(200);
    child.process.kill('SIGTERM');
    await waitFor(async () => (await readiness(child.internalPort)) === 503);
    expect((await fetch(`http://127.0.0.1:${child.apiPort}/api/there`)).status).toBe(200);
    // The edge asks the same port for `/api/health`.
    expect(await readiness(child.apiPort)).toBe(200);
  });

  it('exits without a signal, with code 0', async () => {
    const child = await startProcess();
    child.process.kill('SIGTERM');
    expect(await child.ended).toBe(0);
  });

  it('answers a request that comes on a kept connection at that moment, and has it closed', async () => {
    const running = await start();
    running.hold.open();
    const agent = oneConnection();
    expect(await ask(running.apiPort, agent)).toMatchObject({ status: 200, connection: 'keep-alive' });
    const stopping = running.stop();
    expect(await ask(running.apiPort, agent)).toEqual({ status: 200, connection: 'close', reused: true });
    await stopping;
  });

  it('takes no new connection once it drains', async () => {
    const running = await start();
    const under = ask(running.apiPort, oneConnection());
    await waitFor(() => running.asked.count === 1);
    void running.stop();
    await waitFor(() => refused(running.apiPort));
    running.hold.open();
    expect(await under).toMatchObject({ status: 200 });
  });

  it('exits at the end of its grace period, even with unfinished work', async () => {
    const stuck = gate();
    cleanUpAfterTest(async () => stuck.open());
    const part = { name: 'stuck', start: async () => {}, stop: () => stuck.opened };
    const running = await start({ parts: [part] }, { SHUTDOWN_GRACE_MS: 50 });
    const cut = ask(running.apiPort, oneConnection()).catch((error: NodeJS.ErrnoException) => error.code);
    await waitFor(() => running.asked.count === 1);
    await running.stop();
    expect(await cut).toBe('ECONNRESET');
  });

  it('finishes the answer to a question of another service', async () => {
    const hold = gate();
    let received = 0;
    const handler = rpc(mediaRpc.listTranscribed, async () => {
      received += 1;
      await hold.opened;
      return { files: [] };
    });
    const running = await start({ rpcs: [handler] });
    const asker = createBus({ service: 'search-indexer', url: nats.url, log });
    await asker.connect();
    cleanUpAfterTest(() => asker.close());
    const answered = asker.request(mediaRpc.listTranscribed, { after: null, limit: 1 });
    await waitFor(() => received === 1);
    const stopping = running.stop();
    await waitFor(async () => (await readiness(running.internalPort)) === 503);
    hold.open();
    expect(await answered).toEqual({ files: [] });
    await stopping;
  });
});

describe('a service that starts before the broker', () => {
  it('reports that it waits, is not ready, and exits immediately with code 0 on a signal', async () => {
    const hour = '3600000';
    const port = await freePort();
    const away = { NATS_URL: `nats://127.0.0.1:${port}`, DRAIN_DELAY_MS: hour, SHUTDOWN_GRACE_MS: hour };
    const internalPort = await freePort();
    const child = launch({ ...away, INTERNAL_PORT: String(internalPort) });
    await waitFor(() => child.said().includes('waiting for the message broker'));
    expect(await readiness(internalPort)).toBe(503);
    child.process.kill('SIGTERM');
    expect(await child.ended).toBe(0);
  });
});

describe('a second process of a service', () => {
  it('listens on the same port when both may, so that one of them can be replaced', async () => {
    const port = await freePort();
    const shared = { API_PORT: port, REUSE_PORT: true };
    const [first, second] = [await start({}, shared), await start({}, shared)];
    first.hold.open();
    second.hold.open();
    await first.stop();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await ask(port, new Agent())));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const stranger = createServer().listen(port, '127.0.0.1');
    expect(await once(stranger, 'error')).toMatchObject([{ code: 'EADDRINUSE' }]);
  });

  it('in standby becomes ready and takes no periodic task', async () => {
    let runs = 0;
    const task = catchUp('counted', 1, async () => void (runs += 1));
    const standby = await start({ periodics: [task] }, { STANDBY: true });
    expect(await readiness(standby.internalPort)).toBe(200);
    await sleep(50);
    expect(runs).toBe(0);
    await start({ periodics: [task] });
    await waitFor(async () => runs > 0);
  });
});

describe('a question', () => {
  it('without a responder is sent again while its service restarts', async () => {
    const handler = rpc(mediaRpc.listTranscribed, async () => ({ files: [] }));
    const first = await start({ rpcs: [handler] });
    const asker = createBus({ service: 'search-indexer', url: nats.url, log });
    await asker.connect();
    cleanUpAfterTest(() => asker.close());
    const question = { after: null, limit: 1 };
    await asker.request(mediaRpc.listTranscribed, question);
    await first.stop();
    const again = asker.request(mediaRpc.listTranscribed, question);
    await sleep(0);
    await start({ rpcs: [handler] });
    expect(await again).toEqual({ files: [] });
  });
});

describe('an error that no code handles', () => {
  const fault = async (child: { apiPort: number }, kind: string): Promise<void> => {
    const headers = { connection: 'close' };
    await (await fetch(`http://127.0.0.1:${child.apiPort}/api/there?fault=${kind}`, { headers })).text();
  };
  const counted = async (internalPort: number, kind: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
    return Number(new RegExp(`^process_unhandled_errors_total\\{kind="${kind}"\\} (\\d+)`, 'm').exec(text)?.[1]);
  };

  it('ends the process with exit code 70 when it is an exception of our own code', async () => {
    const child = await startProcess();
    await fault(child, 'exception').catch(() => undefined);
    expect(await child.ended).toBe(70);
  });

  it.each([
    ['a rejection', 'rejection', 'unhandled_rejection'],
    ['an error of a socket', 'socket', 'uncaught_exception'],
  ])('is counted and does not end the process when it is %s', async (_what, kind, metric) => {
    const child = await startProcess();
    await fault(child, kind);
    await waitFor(async () => (await counted(child.internalPort, metric)) === 1);
    expect(await readiness(child.internalPort)).toBe(200);
  });

  it('of the process before is in the counter of the next one', async () => {
    const child = await startProcess({ UNCAUGHT_EXCEPTIONS: '2' });
    expect(await counted(child.internalPort, 'uncaught_exception')).toBe(2);
  });
});

describe('a service whose log cannot be written', () => {
  it.each(['json', 'text'])('serves, counts the lines and does not end (LOG_FORMAT=%s)', async (format) => {
    const [internalPort, full] = [await freePort(), openSync('/dev/full', 'w')];
    const child = launch({ LOG_FORMAT: format, INTERNAL_PORT: String(internalPort) }, full);
    closeSync(full);
    await waitFor(async () => (await readiness(internalPort)) === 200);
    const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
    expect(Number(/^log_lines_dropped_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    child.process.kill('SIGTERM');
    expect(await child.ended).toBe(0);
  });
});
