import { t } from '@lingui/core/macro';
import type { EngineTuning } from '@overtone/contracts';

/** GPU memory in the usual unit. */
export function memory(mib: number): string {
  return mib < 1_024 ? `${mib} MB` : `${(mib / 1_024).toFixed(1)} GB`;
}

/** The processors and parameters that a worker uses. */
export function tuningLabel({ hybrid, transcribe_on, batch_size, compute_type }: EngineTuning): string {
  const where = hybrid
    ? t`hybrid: transcription on the CPU, speakers on the GPU`
    : transcribe_on === 'gpu'
      ? t`transcription and speakers on the GPU`
      : t`transcription and speakers on the CPU`;
  return t`${where}; batch ${batch_size}, ${compute_type}`;
}
