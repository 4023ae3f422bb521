import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { gpuRoutes, gpuRpc, type RequestOf } from '@overtone/contracts';
import { assertionOf, type Dispatcher } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';

function profile(more: Partial<RequestOf<typeof gpuRpc.recordProfile>> = {}) {
  return {
    taskId: randomUUID(),
    token: 1,
    stage: 'transcribe' as const,
    model: 'whisper-large-v3',
    device: 'NVIDIA A10',
    worker: 'worker-1',
    baselineMib: 500,
    peakMib: 5_000,
    audioSeconds: 60,
    ...more,
  };
}

async function read(at: Dispatcher, query = '', role: 'admin' | 'user' = 'admin') {
  const response = await at.get(`/api/admin/gpu-profiles${query}`, assertionOf(randomUUID(), role));
  return { status: response.status, body: await response.json() };
}

describe('while profiling is on', () => {
  const world = startTestWorld({ ENABLE_VRAM_PROFILING: true });

  it('shows count, median and maximum by stage, model and device, and the latest tasks', async () => {
    for (const peakMib of [4_000, 9_000, 5_000]) await world.bus.request(gpuRpc.recordProfile, profile({ peakMib }));
    const last = profile({ stage: 'diarize', model: 'sherpa-onnx', peakMib: 700 });
    await world.bus.request(gpuRpc.recordProfile, last);
    const { body } = await read(world.dispatcher, '?limit=2');
    const answer = gpuRoutes.gpuProfiles.answer.parse(body);
    expect(answer).toMatchObject({ enabled: true, message: null });
    const common = { device: 'NVIDIA A10' };
    expect(answer.summary).toEqual([
      {
        ...common,
        stage: 'transcribe',
        model: 'whisper-large-v3',
        count: 3,
        p50_mib: 5_000,
        max_mib: 9_000,
        audio_seconds: 180,
      },
      { ...common, stage: 'diarize', model: 'sherpa-onnx', count: 1, p50_mib: 700, max_mib: 700, audio_seconds: 60 },
    ]);
    expect(answer.recent).toHaveLength(2);
    expect(answer.recent[0]).toMatchObject({ task: last.taskId, peak_mib: 700, baseline_mib: 500, worker: 'worker-1' });
  });

  it('records a repeated report once', async () => {
    const twice = profile({ model: 'reported-twice' });
    for (let i = 0; i < 2; i++)
      expect(await world.bus.request(gpuRpc.recordProfile, twice)).toEqual({ outcome: 'recorded' });
    const { summary } = gpuRoutes.gpuProfiles.answer.parse((await read(world.dispatcher)).body);
    expect(summary.find((stage) => stage.model === 'reported-twice')?.count).toBe(1);
  });

  it('rejects callers who are not administrators, and a limit above one hundred', async () => {
    expect((await read(world.dispatcher, '', 'user')).status).toBe(403);
    expect((await read(world.dispatcher, '?limit=101')).status).toBe(400);
  });
});

describe('while profiling is off', () => {
  const world = startTestWorld();

  it('reports that it is off and records nothing', async () => {
    expect(await world.bus.request(gpuRpc.recordProfile, profile())).toEqual({ outcome: 'off' });
    expect(await read(world.dispatcher)).toMatchObject({
      status: 200,
      body: { enabled: false, message: expect.stringContaining('ENABLE_VRAM_PROFILING=true'), summary: [], recent: [] },
    });
  });
});
