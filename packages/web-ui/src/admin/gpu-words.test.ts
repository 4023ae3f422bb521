import { describe, expect, it } from '@jest/globals';
import { memory, tuningInWords } from './gpu-words.ts';

describe('what the page says of GPUs', () => {
  it('is their memory in the unit that fits', () => {
    expect([memory(700), memory(24_564)]).toEqual(['700 MiB', '24.0 GiB']);
  });

  it('is where the words and the speakers are found, and how', () => {
    const common = { batch_size: 8, compute_type: 'float16' as const };
    const gpu = { ...common, transcribe_on: 'gpu' as const, diarize_on: 'gpu' as const, hybrid: false };
    expect(tuningInWords(gpu)).toBe('words and speakers on the GPU; batch 8, float16');
    expect(tuningInWords({ ...gpu, transcribe_on: 'cpu', hybrid: true })).toMatch(/^hybrid: words on the CPU/);
    expect(tuningInWords({ ...gpu, transcribe_on: 'cpu', diarize_on: 'cpu' })).toMatch(/speakers on the CPU;/);
  });
});
