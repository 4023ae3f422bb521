import { describe, expect, it } from '@jest/globals';
import { parseDevices, parseInstances, visibleDevices, withInstances } from './nvidia-smi.ts';

const twoCards = `0, GPU-5c1b2fb0-3a1e-8d4e-0b7e-6f0f3d0d8f11, NVIDIA GeForce RTX 4090, 24564, 8.9, [N/A]
1, GPU-9d7f8e0a-11aa-4b22-9c33-0123456789ab, Tesla V100-SXM2-16GB, 16384, 7.0, [N/A]
`;
const divided = `0, GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77, NVIDIA A100-SXM4-40GB, 40960, 8.0, Enabled
1, GPU-77f1aa02-0000-1111-2222-333344445555, NVIDIA A100-SXM4-40GB, 40960, 8.0, Disabled
`;
const listing = `GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)
  MIG 3g.20gb     Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)
  MIG 1g.5gb+me   Device  1: (UUID: MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb)
GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-77f1aa02-0000-1111-2222-333344445555)
`;

function devices(csv: string, instances = '') {
  return withInstances(parseDevices(csv), parseInstances(instances, parseDevices(csv)));
}

describe('the output of nvidia-smi', () => {
  it('lists every GPU with its memory and capability', () => {
    expect(devices(twoCards)).toEqual([
      {
        index: 0,
        uuid: 'GPU-5c1b2fb0-3a1e-8d4e-0b7e-6f0f3d0d8f11',
        name: 'NVIDIA GeForce RTX 4090',
        memory_mib: 24_564,
        capability: 8.9,
      },
      {
        index: 1,
        uuid: 'GPU-9d7f8e0a-11aa-4b22-9c33-0123456789ab',
        name: 'Tesla V100-SXM2-16GB',
        memory_mib: 16_384,
        capability: 7,
      },
    ]);
  });

  it('lists a GPU without capability for an old driver', () => {
    expect(devices('0, GPU-0a, Tesla K80, 11441\n')).toMatchObject([{ memory_mib: 11_441, capability: null }]);
    expect(devices('0, GPU-0a, Tesla K80, 11441, [N/A], [N/A]\n')).toMatchObject([{ capability: null }]);
  });

  it("lists a partitioned GPU as its instances with their profile's memory", () => {
    expect(devices(divided, listing)).toMatchObject([
      { index: 0, name: 'NVIDIA A100-SXM4-40GB MIG 3g.20gb', memory_mib: 19_073, capability: 8 },
      { index: 0, uuid: 'MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb', memory_mib: 4_768 },
      { index: 1, uuid: 'GPU-77f1aa02-0000-1111-2222-333344445555', memory_mib: 40_960 },
    ]);
  });

  it('lists nothing for a partitioned GPU without instances', () => {
    expect(devices(divided.split('\n')[0] ?? '')).toEqual([]);
  });

  it.each([
    'No devices were found\n',
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
    'Failed to initialize NVML: Driver/library version mismatch\n',
    '0, GPU-0a, [Unknown Error], [Unknown Error], [N/A], [N/A]\n',
    'Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.\n',
    '',
  ])('lists no GPU in %p', (text) => {
    expect(devices(text)).toEqual([]);
  });

  it('skips a lost GPU', () => {
    expect(devices(`0, GPU-0a, NVIDIA A10, [GPU is lost], 8.6, [N/A]\n${twoCards.split('\n')[1]}\n`)).toMatchObject([
      { index: 1 },
    ]);
  });
});

describe('CUDA_VISIBLE_DEVICES', () => {
  const all = devices(twoCards);
  const seen = (names: string | undefined) => visibleDevices(all, names).map((device) => device.index);

  it('selects all GPUs when it is not set, and none when it is empty', () => {
    expect(seen(undefined)).toEqual([0, 1]);
    for (const names of ['', '-1', '7', 'none']) expect(seen(names)).toEqual([]);
  });

  it('selects GPUs in its order, by number or by the start of their UUID', () => {
    expect(seen('1')).toEqual([1]);
    expect(seen('1,0')).toEqual([1, 0]);
    expect(seen('GPU-9d7f')).toEqual([1]);
  });

  it('ends at the first unknown name', () => {
    expect(seen('1,5,0')).toEqual([1]);
  });

  it('selects an instance of a partitioned GPU', () => {
    expect(visibleDevices(devices(divided, listing), 'MIG-cba663e8')).toMatchObject([{ memory_mib: 4_768 }]);
  });
});
