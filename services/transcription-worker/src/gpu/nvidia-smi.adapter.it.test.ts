import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGpuProbe } from './nvidia-smi.adapter.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'smi-'));
});
afterEach(() => rm(folder, { recursive: true }));

const tools = '/usr/local/bin:/usr/bin:/bin';
/** Puts a program called nvidia-smi in front of everything else. */
async function driver(script: string): Promise<void> {
  const path = join(folder, 'nvidia-smi');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

function probe(more: { timeoutMs?: number; freshMs?: number; visible?: string } = {}) {
  const { visible, ...rest } = more;
  const env = { PATH: `${folder}:${tools}`, ...(visible === undefined ? {} : { CUDA_VISIBLE_DEVICES: visible }) };
  return createGpuProbe({ env, timeoutMs: 60_000, ...rest });
}

const card = '0, GPU-5c1b2fb0, NVIDIA GeForce RTX 4090, 24564, 8.9, [N/A]';

describe('the driver query', () => {
  it("returns the machine's GPUs that are visible to the process", async () => {
    await driver(`echo '${card}'; echo '1, GPU-9d7f, Tesla V100-SXM2-16GB, 16384, 7.0, [N/A]'`);
    expect(await probe().look()).toMatchObject({ devices: [{ index: 0 }, { index: 1 }], note: null });
    expect(await probe({ visible: '1' }).look()).toMatchObject({ devices: [{ index: 1 }], note: null });
    expect(await probe({ visible: '-1' }).look()).toEqual({ devices: [], note: 'No GPU is called -1' });
  });

  it('reports a missing driver', async () => {
    // The machine that tests may have one.
    await symlink('/usr/bin/setpriv', join(folder, 'setpriv'));
    expect(await createGpuProbe({ env: { PATH: folder }, timeoutMs: 60_000 }).look()).toMatchObject({
      devices: [],
      note: expect.stringContaining('nvidia-smi is missing'),
    });
  });

  it('queries only known fields of an old driver', async () => {
    await driver(`case "$*" in
      *compute_cap*) echo 'Field "compute_cap" is not a valid field to query.'; exit 2 ;;
      *) echo '0, GPU-0a, Tesla K80, 11441' ;;
    esac`);
    expect(await probe().look()).toMatchObject({ devices: [{ memory_mib: 11_441, capability: null }] });
  });

  it('lists the instances of a partitioned GPU', async () => {
    await driver(`if [ "$1" = -L ]; then
      echo 'GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5d5b)'
      echo '  MIG 1g.5gb      Device  0: (UUID: MIG-c6d4f1ef)'
    else echo '0, GPU-5d5b, NVIDIA A100-SXM4-40GB, 40960, 8.0, Enabled'; fi`);
    expect(await probe().look()).toMatchObject({ devices: [{ uuid: 'MIG-c6d4f1ef', memory_mib: 4_768 }] });
  });

  it.each([
    [9, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."],
    [18, 'Failed to initialize NVML: Driver/library version mismatch'],
    [0, 'No devices were found'],
  ])('returns no GPU with the reason for exit code %d', async (code, words) => {
    await driver(`echo "${words}"; exit ${code}`);
    expect(await probe().look()).toEqual({ devices: [], note: words });
  });

  it('times out on an unresponsive driver', async () => {
    await driver('exec sleep 3600');
    expect(await probe({ timeoutMs: 300 }).look()).toMatchObject({
      devices: [],
      note: expect.stringContaining('did not answer'),
    });
  });

  it('queries again after the cache time, and not before', async () => {
    const count = join(folder, 'count');
    await driver(`echo x >> ${count}; wc -l < ${count} | sed 's/^/0, GPU-1, card, 1000/; s/$/, 8.0, [N\\/A]/'`);
    const longCache = probe({ freshMs: 3_600_000 });
    expect(await longCache.look()).toEqual(await longCache.look());
    const eager = probe({ freshMs: 0 });
    expect(await eager.look()).not.toEqual(await eager.look());
  });
});
