import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fixtureService } from '../../test/fixtures.ts';
import { freePort } from '../servers/ports.ts';
import type { Failures } from './backoff.ts';
import { spawnProcess, waitUntilReady, type ServerHealth } from '../servers/process.ts';
import { identify, isAlive, sessionOf } from './identity.ts';
import { createKeeper, type Keeper, type KeeperOptions } from './keeper.ts';

describe('keeper', () => {
  let folder: string;
  let keeper: Keeper | undefined;
  let port: number;
  const lines: string[] = [];

  const keep = (
    traits: readonly string[] = [],
    graceMs = 5000,
    pauseMs: (failures: Failures) => number = () => 20,
    more: Partial<KeeperOptions> = {},
  ) => {
    keeper = createKeeper({
      spec: fixtureService('fixture', port, traits),
      logFile: join(folder, 'fixture.log'),
      readyWithinMs: 10_000,
      graceMs,
      onChange: () => undefined,
      log: (line) => lines.push(line),
      pauseMs,
      ...more,
    });
    return keeper;
  };
  const until = async (condition: () => boolean) => {
    while (!condition()) await sleep(10);
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'overtone-keeper-'));
    port = await freePort();
    lines.length = 0;
  });
  afterEach(async () => {
    await keeper?.stop();
    rmSync(folder, { recursive: true });
  });

  it('restarts a killed process', async () => {
    const kept = keep();
    await kept.start();
    const before = kept.running()!;
    process.kill(before.pid, 'SIGKILL');
    await until(() => kept.running() !== undefined && kept.running()?.pid !== before.pid);
    await until(() => kept.restarts() === 1);
    await until(() => lines.length === 3);
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(
          `^fixture ended \\(SIGKILL\\), pid ${before.pid}, after \\d.* s: killed .*; starts again in 0.0 s \\(restart 1\\)$`,
        ),
      ),
      `fixture wrote nothing to ${join(folder, 'fixture.log')}`,
      `fixture is ready again, pid ${kept.running()?.pid}`,
    ]);
    expect(kept.exits()).toEqual([{ at: expect.any(String), how: 'SIGKILL' }]);
  });

  it('logs the last lines of a process that failed, and the next attempt', async () => {
    await expect(keep(['broken']).start()).rejects.toThrow('ended 3 times');
    expect(lines.slice(0, 3)).toEqual([
      expect.stringMatching(/^fixture ended \(exit code 3\), pid \d+, after .*: failed; starts again in/),
      `fixture wrote last to ${join(folder, 'fixture.log')}:`,
      '  | Error: the fixture is broken',
    ]);
    expect(lines.filter((line) => line.includes('ended')).at(-1)).toContain('after 3 early ends in a row');
  });

  it('continues the list of exits of the previous supervisor, without orderly ones', async () => {
    const earlier = { at: new Date().toISOString(), how: 'SIGSEGV' };
    const kept = keep([], 5000, () => 20, { earlierExits: [earlier] });
    await kept.start();
    process.kill(kept.running()!.pid, 'SIGTERM');
    await until(() => kept.restarts() === 1);
    process.kill(kept.running()!.pid, 'SIGABRT');
    await until(() => kept.exits().length === 2);
    expect(kept.exits().map(({ how }) => how)).toEqual(['SIGSEGV', 'SIGABRT']);
  });

  it('restarts a process immediately after an orderly exit', async () => {
    const pauses: number[] = [];
    const kept = keep([], 5000, ({ count }) => {
      pauses.push(count);
      return 0;
    });
    await kept.start();
    const before = kept.running()!;
    process.kill(before.pid, 'SIGTERM');
    await until(() => kept.running() !== undefined && kept.running()?.pid !== before.pid);
    expect(new Set(pauses)).toEqual(new Set([0]));
  });

  it('gives up on a process that exits repeatedly before it is ready, and reports the reason', async () => {
    await expect(keep(['broken']).start()).rejects.toThrow(
      'fixture ended 3 times while starting (Error: the fixture is broken)',
    );
  });

  it('adopts a process of the previous supervisor, and restarts it when it exits', async () => {
    const spec = fixtureService('fixture', port);
    const orphan = await spawnProcess(spec);
    await waitUntilReady(spec, orphan, 10_000);
    // Allowed: the reported time is at least a second when it counts from the start of the process.
    await sleep(1100);
    const kept = keep([], 5000, () => 20, { adopted: identify(orphan.pid) });
    await kept.start();
    expect(kept.running()?.pid).toBe(orphan.pid);
    process.kill(orphan.pid, 'SIGKILL');
    await until(() => kept.running() !== undefined && kept.running()?.pid !== orphan.pid);
    expect(lines.slice(0, 2)).toEqual([
      `fixture is still running (pid ${orphan.pid})`,
      expect.stringMatching(
        /^fixture ended \(exit code unknown\), pid \d+, after [1-9]\d*\.\d s: it was started by an earlier supervisor; starts again/,
      ),
    ]);
  });

  it('skips the backoff when disk space is available again', async () => {
    const kept = keep([], 5000, () => 3_600_000);
    await kept.start();
    const before = kept.running()!;
    process.kill(before.pid, 'SIGKILL');
    await until(() => kept.running() === undefined);
    await sleep(0);
    kept.retryNow();
    await until(() => kept.running() !== undefined);
    expect(kept.restarts()).toBe(1);
  });

  it('restarts a server that runs but does not work after a full disk', async () => {
    let health: ServerHealth = 'working';
    const spec = { ...fixtureService('fixture', port), health: async () => await Promise.resolve(health) };
    const kept = keep([], 5000, () => 20, { spec });
    await kept.start();
    const before = kept.running()!;
    kept.retryNow();
    health = 'broken';
    kept.retryNow();
    await until(() => kept.running() !== undefined && kept.running()?.pid !== before.pid);
    health = 'working';
    expect(lines).toContain('fixture does not work any more: started again');
  });

  it('does not restart an unresponsive server', async () => {
    const asked: number[] = [];
    const spec = {
      ...fixtureService('fixture', port),
      health: async (): Promise<ServerHealth> => await Promise.resolve(asked.push(1) > 0 ? 'unresponsive' : 'broken'),
    };
    const kept = keep([], 5000, () => 20, { spec, checkEveryMs: 5 });
    await kept.start();
    await until(() => asked.length > 10);
    expect(kept.restarts()).toBe(0);
  });

  it('restarts a service that does not respond to three checks in a row, and counts it', async () => {
    const silent = 'unresponsive';
    const results: ServerHealth[] = [silent, silent, 'working', silent, silent, silent];
    const spec = {
      ...fixtureService('fixture', port),
      health: async (): Promise<ServerHealth> => await Promise.resolve(results.shift() ?? 'working'),
      restartsUnresponsive: true,
    };
    const kept = keep([], 5000, () => 20, { spec, checkEveryMs: 5 });
    await kept.start();
    const before = kept.running()!;
    process.kill(before.pid, 'SIGSTOP');
    await until(() => kept.running() !== undefined && kept.running()?.pid !== before.pid);
    expect(lines).toContain('fixture does not respond: started again');
    expect(kept.exits()[0]).toEqual({ at: expect.any(String), how: 'unresponsive' });
    const environment = readFileSync(`/proc/${kept.running()?.pid}/environ`, 'utf8').split('\0');
    expect(environment).toContain('UNRESPONSIVE_RESTARTS=1');
  });

  it('never gives up when it is persistent', async () => {
    const kept = keep(['broken'], 5000, () => 5, { persistent: true });
    const outcome: string[] = [];
    const starting = kept.start().catch(() => outcome.push('rejected'));
    await until(() => kept.restarts() > 4);
    expect(outcome).toEqual([]);
    await kept.stop();
    await starting;
  });

  it('passes the number of uncaught exceptions to the next process', async () => {
    const kept = keep(['uncaught-once']);
    void kept.start().catch(() => undefined);
    await until(() => kept.restarts() === 1);
    const environment = () => readFileSync(`/proc/${kept.running()?.pid}/environ`, 'utf8').split('\0');
    await until(() => environment().includes('UNCAUGHT_EXCEPTIONS=1'));
  });

  it('kills a process that ignores the stop signal', async () => {
    const kept = keep(['stubborn'], 200);
    await kept.start();
    const running = kept.running()!;
    await kept.stop();
    expect(isAlive(running)).toBe(false);
  });

  it('leaves no child process of a killed process', async () => {
    const kept = keep(['parent']);
    await kept.start();
    const members = sessionOf(kept.running()!);
    expect(members).toHaveLength(2);
    process.kill(kept.running()!.pid, 'SIGKILL');
    await until(() => !members.some(isAlive));
    expect(members.filter(isAlive)).toEqual([]);
  });

  it('starts no process after it was stopped', async () => {
    const kept = keep();
    await kept.start();
    await kept.stop();
    // Allowed: nothing announces that no process starts.
    await sleep(100);
    expect(kept.running()).toBeUndefined();
  });
});
