import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { productFolder, productVersion } from '../paths.ts';
import { run } from '../setup/run.ts';

describe('./overtone config', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'overtone-container-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const config = async (word: string) =>
    await run(join(productFolder, 'overtone'), ['config', word, '--out', folder], { cwd: folder });
  const file = () => join(folder, '.env');

  it('container: writes secrets that only their owner can read, and bus users without a secret', async () => {
    const { code, output } = await config('container');
    expect(code).toBe(0);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const values = parseEnv(readFileSync(file(), 'utf8')) as Record<string, string>;
    expect(values['OT_IMAGE_TAG']).toBe(productVersion());
    expect(Number(values['WORKER_CPUS'])).toBeLessThanOrEqual(availableParallelism());
    const bus = readFileSync(join(folder, 'nats.conf'), 'utf8');
    const secrets = Object.entries(values).filter(([name]) => /PASSWORD|KEY/.test(name));
    expect(secrets.filter(([, value]) => bus.includes(value) || output.includes(value))).toEqual([]);
  });

  it('container: keeps existing lines and adds the values of a new release', async () => {
    writeFileSync(file(), '# ours\nOT_LISTEN=127.0.0.1:9000\nWORKER_CPUS=1.5\nREDIS_PASSWORD=chosen-by-us\n');
    await config('container');
    const before = readFileSync(file(), 'utf8');
    expect(before.startsWith('# ours\nOT_LISTEN=127.0.0.1:9000\nWORKER_CPUS=1.5\nREDIS_PASSWORD=chosen-by-us\n')).toBe(
      true,
    );
    expect(before.match(/^(REDIS_PASSWORD|WORKER_CPUS)=/gm)).toHaveLength(2);
    await config('container');
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('container: rejects a password with characters that a URL or the bus would interpret, and changes nothing', async () => {
    await config('container');
    appendFileSync(file(), 'NATS_PASSWORD_MEDIA=1e5/x\n');
    const before = readFileSync(file(), 'utf8');
    const { code, output } = await config('container');
    expect([code, output]).toEqual([1, expect.stringContaining(`NATS_PASSWORD_MEDIA in ${file()}`)]);
    expect(output).not.toContain('1e5/x');
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('container: rejects pools that do not fit into the connections of the server, and changes nothing', async () => {
    writeFileSync(file(), 'DB_POOL_SIZE=30\n');
    const { code, output } = await config('container');
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/PG_MAX_CONNECTIONS=200 is too low: .*DB_POOL_SIZE=30 /s),
    ]);
    expect(readFileSync(file(), 'utf8')).toBe('DB_POOL_SIZE=30\n');
    appendFileSync(file(), 'PG_MAX_CONNECTIONS=300\n');
    expect((await config('container')).code).toBe(0);
  });

  it('kubernetes: refuses by name what no pod would receive', async () => {
    writeFileSync(file(), 'OT_LISTEN=127.0.0.1:9000\nRECORDING_IDLE_MINUTES=9\n');
    const { code, output } = await config('kubernetes');
    expect([code, output]).toEqual([1, expect.stringContaining('OT_LISTEN is read by no pod in Kubernetes.')]);
  });

  it('kubernetes: prints secrets with the same values', async () => {
    const { code, output } = await config('kubernetes');
    expect(code).toBe(0);
    const values = parseEnv(readFileSync(file(), 'utf8')) as Record<string, string>;
    type List = { items: { kind: string; metadata: { name: string }; stringData?: Record<string, string> }[] };
    const identity = (JSON.parse(output) as List).items.find((item) => item.metadata.name === 'overtone-identity');
    expect(identity?.stringData).toMatchObject({ JWT_SECRET_KEY: values['JWT_SECRET_KEY'] });
    await config('container');
    expect(parseEnv(readFileSync(file(), 'utf8'))).toMatchObject(values);
  });
});
