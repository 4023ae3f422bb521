import type { EngineTuning } from '@overtone/contracts';

/** GPU memory as people speak of it. */
export const memory = (mib: number): string => (mib < 1_024 ? `${mib} MiB` : `${(mib / 1_024).toFixed(1)} GiB`);

/** Where a worker does what, and how. */
export const tuningInWords = ({ hybrid, transcribe_on, batch_size, compute_type }: EngineTuning): string => {
  const where = hybrid
    ? 'hybrid: words on the CPU, speakers on the GPU'
    : transcribe_on === 'gpu'
      ? 'words and speakers on the GPU'
      : 'words and speakers on the CPU';
  return `${where}; batch ${batch_size}, ${compute_type}`;
};
