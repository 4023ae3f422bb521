import { describe, expect, it } from '@jest/globals';
import type { GpuDevice } from '@overtone/contracts';
import { createProcessors } from './gpu.ts';

const card: GpuDevice = { index: 0, uuid: 'GPU-aa', name: 'NVIDIA A10', memory_mib: 23_028, capability: 8.6 };
function wishes() {
  return { batchSize: 'auto', computeType: 'auto', hybrid: 'auto' } as const;
}

async function withDevices(...seen: GpuDevice[][]) {
  const processors = createProcessors({
    probe: { look: () => Promise.resolve({ devices: seen.shift() ?? [], note: null }) },
    wishes,
  });
  await processors.look();
  return processors;
}

const onGpu = { transcribe_on: 'gpu', diarize_on: 'gpu', batch_size: 24, compute_type: 'int8_float16' };
const onCpu = { transcribe_on: 'cpu', diarize_on: 'cpu', batch_size: 1, compute_type: 'int8' };

describe('the processors of an engine', () => {
  it("are those of the driver's GPU", async () => {
    expect((await withDevices([card])).tuningOf('whisper-large-v3')).toMatchObject(onGpu);
  });

  it('are only the CPU after the GPU has vanished', async () => {
    const processors = await withDevices([card], []);
    await processors.look();
    expect(processors.tuningOf('whisper-large-v3')).toMatchObject(onCpu);
  });

  it('are only the CPU when the library cannot use the GPU, with the reason', async () => {
    const processors = await withDevices([card], [card]);
    processors.giveUpGpu('built without CUDA');
    await processors.look();
    expect(processors.tuningOf('whisper-large-v3')).toMatchObject(onCpu);
    expect(processors.state()).toMatchObject({ devices: [card], note: expect.stringContaining('without CUDA') });
  });
});
