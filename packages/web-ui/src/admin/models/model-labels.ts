import { msg, t } from '@lingui/core/macro';
import type { ResponseBody } from '@overtone/client';
import { translateOnRead } from '../../lib/language.ts';

export type ModelOverview = ResponseBody<'GET /api/admin/models'>;
export type InstalledModel = ModelOverview['installed'][number];
export type CatalogueModel = ModelOverview['catalogue'][number];
export type ModelTask = ModelOverview['tasks'][number];

export const kindLabels: Record<InstalledModel['kind'], string> = translateOnRead({
  asr: msg`Transcription`,
  vad: msg`Speech detection`,
  segmentation: msg`Speaker segmentation`,
  embedding: msg`Speaker embedding`,
  sentences: msg`Search by meaning`,
  names: msg`Names for redaction`,
});

/** The measured figures of a model in one line; null: it was not measured. */
export function figuresOf({ evaluation }: InstalledModel): string | null {
  if (evaluation === null) return null;
  const { set, wer, der, real_time_factor: factor, peak_memory_mib: memory, sctk } = evaluation;
  const figures = [
    ...(wer ? [t`word error rate ${percent(wer.value)} (${percent(wer.low)} to ${percent(wer.high)})`] : []),
    ...(der ? [t`diarization error rate ${percent(der.value)} (collar ${der.collar_s} s)`] : []),
    t`${factor.toFixed(2)} s per second of sound`,
    ...(memory === null ? [] : [t`${memory} MB of memory`]),
    ...(typeof sctk?.wer === 'number' ? [t`word error rate by sclite ${percent(sctk.wer)}`] : []),
    ...(typeof sctk?.der === 'number' ? [t`diarization error rate by md-eval ${percent(sctk.der)}`] : []),
  ].join(', ');
  return t`Measured on ${set}: ${figures}`;
}

/** A fraction as a percentage with one digit. */
function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** The state of an installed model, in words. */
export function stateOf({ fault, origin }: InstalledModel): string {
  if (fault !== null) return t`Not used: ${fault}`;
  return origin === 'import' ? t`Verified, imported` : t`Verified`;
}

/** The catalogue models that are not installed in good order. */
export function missingOf({ catalogue, installed }: ModelOverview): CatalogueModel[] {
  const good = new Set(installed.filter(({ fault }) => fault === null).map(({ name }) => name));
  return catalogue.filter(({ name }) => !good.has(name));
}
