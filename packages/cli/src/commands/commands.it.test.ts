import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { dataFolder, productFolder, productVersion } from '../paths.ts';
import { run } from '../setup/run.ts';
import { identify } from '../supervisor/identity.ts';
import { writeRuntime } from '../supervisor/runtime.ts';

describe('./overtone', () => {
  let folder: string;
  let data: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'overtone-cli-'));
    data = join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const overtone = async (...args: string[]) => await run(join(productFolder, 'overtone'), args, { cwd: folder });

  it('works from any folder and through a symbolic link', async () => {
    symlinkSync(join(productFolder, 'overtone'), join(folder, 'linked'));
    const { code, output } = await run(join(folder, 'linked'), ['version'], { cwd: folder });
    expect([code, output.split('\n')[0]]).toEqual([0, productVersion()]);
  });

  it('shows its commands without arguments', async () => {
    const { code, output } = await overtone();
    expect(code).toBe(0);
    for (const command of [
      'up',
      'down',
      'restart',
      'rotate-key',
      'status',
      'logs',
      'test',
      'doctor',
      'bench',
      'models',
      'config',
      'version',
    ]) {
      expect(output).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    }
  });

  it('rejects an unknown command', async () => {
    const { code, output } = await overtone('fly');
    expect([code, output.split('\n')[0]]).toEqual([1, 'error: there is no command fly']);
  });

  it('reports a stopped instance as JSON', async () => {
    const { code, output } = await overtone('status', '--data', data, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({ base_url: null, profile: 'embedded', running: false, services: [] });
  });

  it('rotates no key without an instance, without the old key or without the database', async () => {
    const rotate = async () => await overtone('rotate-key', '--data', data);
    expect(await rotate()).toMatchObject({ code: 1, output: expect.stringContaining('has not been started yet') });
    const instance = { port: 8080, adminAnnounced: true, ports: { postgres: 9 } };
    mkdirSync(join(data, 'secrets'), { recursive: true });
    writeFileSync(join(data, 'instance.json'), JSON.stringify(instance));
    writeFileSync(join(data, 'secrets', 'db_identity'), 'x');
    expect(await rotate()).toMatchObject({ code: 1, output: expect.stringContaining('encryption_key is missing') });
    const old = Buffer.alloc(32).toString('base64');
    writeFileSync(join(data, 'secrets', 'encryption_key'), old);
    expect(await rotate()).toMatchObject({ code: 1, output: expect.stringContaining('is Overtone running?') });
    expect(readFileSync(join(data, 'secrets', 'encryption_key'), 'utf8')).toBe(old);
  });

  it('rotates the signing key of a stopped instance, unless the environment has it', async () => {
    const rotate = async (env: Record<string, string> = {}) =>
      await run(join(productFolder, 'overtone'), ['config', 'rotate-key', '--signing', '--data', data], {
        cwd: folder,
        env: { JWT_SECRET_KEY: '', JWT_SECRET_KEY_FILE: '', ...env },
      });
    expect(await rotate()).toMatchObject({ code: 1, output: expect.stringContaining('has not been started yet') });
    mkdirSync(join(data, 'secrets'), { recursive: true });
    writeFileSync(join(data, 'instance.json'), JSON.stringify({ port: 8080, adminAnnounced: true, ports: {} }));
    const key = join(data, 'secrets', 'jwt_secret_key');
    writeFileSync(key, 'before');
    expect(await rotate({ JWT_SECRET_KEY: 'x'.repeat(40) })).toMatchObject({
      code: 1,
      output: expect.stringContaining('takes precedence'),
    });
    expect(readFileSync(key, 'utf8')).toBe('before');
    expect(await rotate()).toMatchObject({ code: 0, output: expect.stringContaining('every session has ended') });
    expect(readFileSync(key, 'utf8').trim()).toMatch(/^[\w-]{64}$/);
  });

  it('succeeds to stop a stopped instance', async () => {
    expect(await overtone('down', '--data', data)).toEqual({ code: 0, output: '✓ Overtone is not running.\n' });
  });

  it('restarts no stopped instance', async () => {
    const { code, output } = await overtone('restart', 'media', '--data', data);
    expect([code, output]).toEqual([1, '✗ Overtone is not running; start it with: ./overtone up\n']);
  });

  it('restarts no service under a supervisor with another plan', async () => {
    mkdirSync(data);
    const supervisor = identify(process.pid)!;
    writeRuntime(dataFolder(data), {
      phase: 'ready',
      version: productVersion(),
      mark: 'another',
      supervisor,
      processes: [{ ...supervisor, name: 'media', kind: 'service', restarts: 0 }],
      exits: {},
    });
    const { code, output } = await overtone('restart', '--data', data);
    expect([code, output]).toEqual([
      1,
      '✗ This version starts its services in another way than the one that runs; take it over with: ./overtone down, then ./overtone up\n',
    ]);
  });

  it('rejects an invalid number of lines', async () => {
    const { code, output } = await overtone('logs', '--data', data, '-n', 'many');
    expect([code, output]).toEqual([1, expect.stringContaining('How many lines is a number from 1.')]);
  });

  it('prints the logs of all services in order of time, from a time and a level on', async () => {
    mkdirSync(join(data, 'logs'), { recursive: true });
    const day = '2026-11-28T03:00';
    writeFileSync(
      join(data, 'logs', 'media.log'),
      `${day}:01.000Z info  media one\n${day}:03.000Z error media three\n  at its stack\n`,
    );
    writeFileSync(join(data, 'logs', 'identity.log'), `${day}:02.000Z info  identity two\n`);
    const printed = async (...args: string[]) => {
      const { output } = await overtone('logs', '--data', data, ...args);
      return output
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/\S+Z /, ''));
    };
    const [one, two, three] = [
      'media    | info  media one',
      'identity | info  identity two',
      'media    | error media three',
    ];
    expect(await printed()).toEqual([one, two, three, 'media    |   at its stack']);
    expect(await printed('--since', `${day}:02Z`, '--service', 'identity', 'media')).toEqual([
      two,
      three,
      'media    |   at its stack',
    ]);
    expect(await printed('media', '--level', 'error')).toEqual(['error media three', '  at its stack']);
    expect(await printed('-n', '1', '--service', 'identity')).toEqual(['info  identity two']);
    expect(await printed('--since', 'yesterday')).toEqual([expect.stringContaining('--since is a number')]);
  });

  it('reports an unknown log', async () => {
    const { code, output } = await overtone('logs', '--data', data);
    expect([code, output]).toEqual([1, `✗ There are no logs in ${data}/logs.\n`]);
  });

  describe('with another program on its port', () => {
    let other: Server;
    beforeEach(async () => {
      other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => void other.close());

    it('reports it in one sentence and starts nothing', async () => {
      const { port } = other.address() as AddressInfo;
      const { code, output } = await overtone('up', '--data', data, '--port', String(port), '--detach');
      expect(code).toBe(1);
      expect(output.trimEnd().split('\n').at(-1)).toBe(
        `✗ Port ${port} is in use by another program; choose another one with --port.`,
      );
    });

    it('leaves it to the database whether it can use the data folder of a newer version', async () => {
      mkdirSync(data);
      writeFileSync(join(data, 'version'), '99.0.0\n');
      const { port } = other.address() as AddressInfo;
      const { output } = await overtone('up', '--data', data, '--port', String(port), '--detach');
      expect(output).toContain(`Port ${port} is in use`);
      const doctor = await overtone('doctor', '--data', data);
      expect(doctor.output).toContain('version 99.0.0 used it last');
    });
  });
});
