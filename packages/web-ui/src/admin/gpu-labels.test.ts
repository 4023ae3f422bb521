import { describe, expect, it } from '@jest/globals';
import { memory, tuningLabel } from './gpu-labels.ts';

describe('GPU labels', () => {
  it('show memory in MB below one GB and in GB above', () => {
    expect([memory(700), memory(24_564)]).toEqual(['700 MB', '24.0 GB']);
  });

  it('show the processor of transcription and speakers, the batch size and the compute type', () => {
    const common = { batch_size: 8, compute_type: 'float16' as const };
    const gpu = { ...common, transcribe_on: 'gpu' as const, diarize_on: 'gpu' as const, hybrid: false };
    expect(tuningLabel(gpu)).toBe('transcription and speakers on the GPU; batch 8, float16');
    expect(tuningLabel({ ...gpu, transcribe_on: 'cpu', hybrid: true })).toMatch(/^hybrid: transcription on the CPU/);
    expect(tuningLabel({ ...gpu, transcribe_on: 'cpu', diarize_on: 'cpu' })).toMatch(/speakers on the CPU;/);
  });
});
