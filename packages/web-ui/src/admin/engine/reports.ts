import { t } from '@lingui/core/macro';
import type { EngineSettingKey, ReportedSettings } from '@overtone/contracts';
import { automatic } from '../settings/items.ts';
import { engineLabels } from './labels.ts';

type Reported = ReportedSettings[string];
type Row = { key: string; label: string; cells: { worker: string; text: string; source: Reported['source'] | '' }[] };

/** One row per setting, one cell per worker. */
export function reportRows(workers: readonly { id: string; settings: ReportedSettings }[]): Row[] {
  return (Object.keys(engineLabels) as EngineSettingKey[]).map((key) => ({
    key,
    label: engineLabels[key].label,
    cells: workers.map(({ id, settings }) => {
      const reported = settings[key];
      return { worker: id, text: reported ? reportedText(key, reported) : '', source: reported?.source ?? '' };
    }),
  }));
}

/** The value and where it comes from. */
export function reportedText(key: EngineSettingKey, { value, source }: Reported): string {
  const plain = engineLabels[key].choices?.[String(value)] ?? (value === automatic ? t`Automatic` : String(value));
  switch (source) {
    case 'stored':
      return t`${plain} (set here)`;
    case 'environment':
      return t`${plain} (environment)`;
    case 'computed':
      return t`${plain} (computed)`;
    case 'default':
      return t`${plain} (default)`;
    default:
      return source satisfies never;
  }
}
