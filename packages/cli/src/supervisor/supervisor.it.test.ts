import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { fixtureService } from '../../test/fixtures.ts';
import { dataFolder, type DataFolder } from '../paths.ts';
import { freePorts } from '../servers/ports.ts';
import { clearLeftovers } from '../setup/set-up.ts';
import { isAlive } from './identity.ts';
import { endLeftovers, waitForEnd } from './leftovers.ts';
import { readLiveRuntime, readRuntime } from './runtime.ts';
import { createSupervisor } from './supervisor.ts';

const supervisorFixture = fileURLToPath(new URL('../../test/fixture-supervisor.ts', import.meta.url));

let folder: DataFolder;
let ports: number[];
beforeEach(async () => {
  folder = dataFolder(mkdtempSync(join(tmpdir(), 'overtone-supervisor-')));
  mkdirSync(folder.logs);
  ports = await freePorts(2);
});
afterEach(() => rmSync(folder.root, { recursive: true }));

describe('supervisor', () => {
  const supervise = (traits: readonly string[] = [], afterStart?: () => () => Promise<void>) => {
    const order: string[] = [];
    const supervisor = createSupervisor({
      folder,
      plan: {
        servers: [fixtureService('server', ports[0]!)],
        services: [fixtureService('service', ports[1]!, traits)],
        mark: 'this',
      },
      migrate: async () => {
        order.push('migrate');
        return await Promise.resolve('migrated');
      },
      progress: (line) => order.push(line.replace(/ \(.*/, '')),
      log: () => undefined,
      ...(afterStart === undefined ? {} : { afterStart }),
    });
    return { supervisor, order };
  };

  it('starts the servers, migrates, then starts the services', async () => {
    const { supervisor, order } = supervise();
    await supervisor.start();
    await supervisor.stop();
    expect(order).toEqual(['server is ready', 'migrate', 'database: migrated', 'service is ready']);
  });

  it('starts what follows once everything is ready, and ends it before the services', async () => {
    const seen: string[] = [];
    const states = () => readRuntime(folder)?.phase;
    const { supervisor } = supervise([], () => {
      seen.push(`started while ${states()}`);
      return async () => {
        seen.push(`ended while ${states()}`);
        return await Promise.resolve();
      };
    });
    await supervisor.start();
    await supervisor.stop();
    expect(seen).toEqual(['started while ready', 'ended while ready']);
  });

  it('records running processes, and none after it has stopped', async () => {
    const { supervisor } = supervise();
    await supervisor.start();
    const runtime = readLiveRuntime(folder);
    expect(runtime?.processes.map((entry) => [entry.name, entry.kind, isAlive(entry)])).toEqual([
      ['server', 'server', true],
      ['service', 'service', true],
    ]);
    await supervisor.stop();
    expect(runtime?.processes.filter(isAlive)).toEqual([]);
    expect(existsSync(folder.runtime)).toBe(false);
  });

  it('records each service of a process that runs several', async () => {
    const several = { ...fixtureService('services', ports[1]!), hosts: ['media', 'identity'] };
    const supervisor = createSupervisor({
      folder,
      plan: { servers: [], services: [several], mark: 'this' },
      migrate: async () => await Promise.resolve('migrated'),
      progress: () => undefined,
      log: () => undefined,
    });
    await supervisor.start();
    const { processes } = readLiveRuntime(folder)!;
    const { pid } = processes[0]!;
    expect(processes).toMatchObject([
      { name: 'media', pid, process: 'services', restarts: 0 },
      { name: 'identity', pid, process: 'services', restarts: 0 },
    ]);
    process.kill(pid, 'SIGKILL');
    await waitFor(() => readLiveRuntime(folder)?.processes[0]?.restarts === 1);
    expect(readLiveRuntime(folder)?.exits).toMatchObject({
      media: [{ how: 'SIGKILL' }],
      identity: [{ how: 'SIGKILL' }],
    });
    await supervisor.stop();
  });

  it('records the unexpected exits of each process', async () => {
    const { supervisor } = supervise();
    await supervisor.start();
    process.kill(readLiveRuntime(folder)!.processes[1]!.pid, 'SIGSEGV');
    const exits = () => readLiveRuntime(folder)?.exits['service'] ?? [];
    while (exits().length === 0) await sleep(10);
    expect(exits()).toEqual([{ at: expect.any(String), how: 'SIGSEGV' }]);
    await supervisor.stop();
  });

  it('stops everything when one process fails to start', async () => {
    const { supervisor } = supervise(['broken']);
    const starting = supervisor.start();
    await expect(starting).rejects.toThrow('service ended 3 times while starting');
    expect(await fetch(`http://127.0.0.1:${ports[0]}`).catch(() => 'gone')).toBe('gone');
  });
});

describe('a supervisor that was killed', () => {
  let killed: ChildProcess | undefined;
  const startAndKill = async (traits: readonly string[], mode = 'follows') => {
    killed = spawn(process.execPath, [supervisorFixture, folder.root, String(ports[0]), mode, ...traits], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(killed.stdout!, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    return readRuntime(folder)!.processes;
  };

  it('causes its services to receive the stop signal', async () => {
    const processes = await startAndKill([]);
    expect(await waitForEnd(processes, 60_000)).toBe(true);
  });

  it('is not treated as running', async () => {
    await startAndKill([]);
    expect(readLiveRuntime(folder)).toBeUndefined();
  });

  it('leaves only processes that the next start ends', async () => {
    const processes = await startAndKill(['stubborn', 'parent']);
    expect(processes.filter(isAlive)).toHaveLength(1);
    expect(await endLeftovers(processes, 200)).toBe(1);
    expect(await waitForEnd(processes, 60_000)).toBe(true);
  });

  it('leaves detached services running, and the next supervisor adopts them without a record', async () => {
    const [service] = await startAndKill([], 'outlives');
    expect(isAlive(service!)).toBe(true);
    rmSync(folder.runtime);
    const log: string[] = [];
    const supervisor = createSupervisor({
      folder,
      plan: { servers: [], services: [fixtureService('fixture', ports[0]!)], mark: 'this' },
      migrate: async () => await Promise.resolve('nothing to do'),
      progress: () => undefined,
      log: (line) => log.push(line),
      resume: true,
      servicesOutlive: true,
    });
    await supervisor.start();
    expect(readLiveRuntime(folder)?.processes.map((entry) => entry.pid)).toEqual([service!.pid]);
    expect(log).toContain(`fixture is still running (pid ${service!.pid})`);
    await supervisor.stop();
    expect(isAlive(service!)).toBe(false);
  });

  it('has a service ended by the next one that runs it together with others', async () => {
    const [service] = await startAndKill([], 'outlives');
    const several = { ...fixtureService('services', ports[0]!), hosts: ['fixture', 'another'] };
    const supervisor = createSupervisor({
      folder,
      plan: { servers: [], services: [several], mark: 'this' },
      migrate: async () => await Promise.resolve('nothing to do'),
      progress: () => undefined,
      log: () => undefined,
      resume: true,
    });
    await supervisor.start();
    expect(isAlive(service!)).toBe(false);
    expect(readLiveRuntime(folder)?.processes.map(({ name }) => name)).toEqual(['fixture', 'another']);
    await supervisor.stop();
  });

  it('has its processes ended by the next start even without a record', async () => {
    const [service] = await startAndKill([], 'outlives');
    rmSync(folder.runtime);
    expect(await clearLeftovers(folder)).toBe(1);
    expect(isAlive(service!)).toBe(false);
  });

  it('never causes the end of an unrelated process with the pid of an exited one', async () => {
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
    const recorded = { pid: stranger.pid!, started: 1, name: 'media', kind: 'service', restarts: 0 } as const;
    expect(await endLeftovers([recorded], 200)).toBe(0);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill('SIGKILL');
  });
});
