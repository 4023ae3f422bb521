import { Checkbox, NativeSelect, Stack } from '@mantine/core';
import {
  exportChoices,
  exportFlags,
  formatTakes,
  type ExportFormat,
  type ExportOptions,
} from '@overtone/contracts/export-formats';
import { choiceLabels, choiceTitles, flagLabels } from './labels.ts';

type Props = {
  readonly format: ExportFormat;
  readonly options: ExportOptions;
  /** Whether the recording has a summary that the reader may see. */
  readonly hasSummary: boolean;
  readonly onChange: (next: ExportOptions) => void;
};
type ChoiceName = keyof typeof exportChoices;
type FlagName = keyof typeof exportFlags;

const choiceNames = Object.keys(exportChoices) as ChoiceName[];
const flagNames = Object.keys(exportFlags) as FlagName[];

/** The options that the format has a place for. */
export function ExportOptionFields({ format, options, hasSummary, onChange }: Props) {
  return (
    <Stack gap="sm">
      {choiceNames
        .filter((name) => formatTakes(format, name))
        .map((name) => (
          <NativeSelect
            key={name}
            label={choiceTitles[name]}
            data={Object.entries(choiceLabels[name]).map(([value, label]) => ({ value, label }))}
            value={options[name]}
            onChange={(event) => onChange({ ...options, [name]: event.currentTarget.value })}
          />
        ))}
      {flagNames
        .filter((name) => formatTakes(format, name) && (name !== 'summary' || hasSummary))
        .map((name) => (
          <Checkbox
            key={name}
            label={flagLabels[name]}
            checked={options[name]}
            onChange={(event) => onChange({ ...options, [name]: event.currentTarget.checked })}
          />
        ))}
    </Stack>
  );
}
