import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fixtureService } from '../../test/fixtures.ts';
import { freePort } from '../servers/ports.ts';
import type { Failures } from './backoff.ts';
import { isAlive, sessionOf } from './identity.ts';
import { createKeeper, type Keeper } from './keeper.ts';

describe('keeper', () => {
  let folder: string;
  let keeper: Keeper | undefined;
  let port: number;
  const lines: string[] = [];

  const keep = (traits: readonly string[] = [], graceMs = 5000, pauseMs: (failures: Failures) => number = () => 20) => {
    keeper = createKeeper({
      spec: fixtureService('fixture', port, traits),
      logFile: join(folder, 'fixture.log'),
      readyWithinMs: 10_000,
      graceMs,
      onChange: () => undefined,
      log: (line) => lines.push(line),
      pauseMs,
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

  it('starts again what was killed', async () => {
    const kept = keep();
    await kept.start();
    const before = kept.running()!;
    process.kill(before.pid, 'SIGKILL');
    await until(() => kept.running() !== undefined && kept.running()?.pid !== before.pid);
    await until(() => kept.restarts() === 1);
    expect(lines).toEqual(['fixture ended (SIGKILL)']);
  });

  it('starts at once again what was asked to stop and did', async () => {
    const pauses: number[] = [];
    const kept = keep([], 5000, ({ count }) => {
      pauses.push(count);
      return 0;
    });
    await kept.start();
    const before = kept.running()!;
    process.kill(before.pid, 'SIGTERM');
    await until(() => kept.running() !== undefined && kept.running()?.pid !== before.pid);
    expect(pauses).toEqual([0]);
  });

  it('gives up on what ends again and again before it was ever ready, and tells why', async () => {
    await expect(keep(['broken']).start()).rejects.toThrow(
      'fixture ended 3 times while starting (Error: the fixture is broken)',
    );
  });

  it('kills what does not stop when asked', async () => {
    const kept = keep(['stubborn'], 200);
    await kept.start();
    const running = kept.running()!;
    await kept.stop();
    expect(isAlive(running)).toBe(false);
  });

  it('leaves no child of a process that was killed', async () => {
    const kept = keep(['parent']);
    await kept.start();
    const members = sessionOf(kept.running()!);
    expect(members).toHaveLength(2);
    process.kill(kept.running()!.pid, 'SIGKILL');
    await until(() => !members.some(isAlive));
    expect(members.filter(isAlive)).toEqual([]);
  });

  it('starts nothing any more once it was stopped', async () => {
    const kept = keep();
    await kept.start();
    await kept.stop();
    await sleep(100);
    expect(kept.running()).toBeUndefined();
  });
});
