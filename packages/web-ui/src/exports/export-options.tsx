import { t } from '@lingui/core/macro';
import { Checkbox, NativeSelect, Stack } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import {
  exportChoices,
  exportFlags,
  exportFormatNames,
  formatTakes,
  type ExportFormat,
  type ExportOptions,
} from '@overtone/contracts/export-formats';
import { readExportChoice, type ExportChoice } from './export-choice.ts';
import { TemplateChoice } from './template-choice.tsx';
import { WordTemplateChoice } from './word-template-choice.tsx';
import { choiceLabels, choiceTitles, flagLabels, formatLabels } from './labels.ts';

type Props = {
  readonly choice: ExportChoice;
  /** Whether the recording has a summary that the reader may see. */
  readonly hasSummary: boolean;
  readonly hasPreview?: boolean;
  readonly onChange: (next: ExportChoice) => void;
};
type ChoiceName = keyof typeof exportChoices;
type FlagName = keyof typeof exportFlags;

const choiceNames = Object.keys(exportChoices) as ChoiceName[];
const flagNames = Object.keys(exportFlags) as FlagName[];

/** The format and the options that were chosen last in this browser. */
export function useExportChoice() {
  return useLocalStorage<ExportChoice>({
    key: 'overtone-export',
    defaultValue: readExportChoice(undefined),
    deserialize: readExportChoice,
    getInitialValueInEffect: false,
  });
}

/** The format, and the options that it has a place for. */
export function ExportChoiceFields({ choice: { format, options }, hasSummary, hasPreview = false, onChange }: Props) {
  const change = (next: Partial<ExportOptions>): void => onChange({ format, options: { ...options, ...next } });
  return (
    <Stack gap="sm">
      <TemplateChoice choice={{ format, options }} onChange={onChange} />
      <NativeSelect
        label={t`Format`}
        data-autofocus
        data={exportFormatNames.map((name) => ({ value: name, label: formatLabels[name] }))}
        value={format}
        onChange={(event) => onChange({ format: event.currentTarget.value as ExportFormat, options })}
      />
      {formatTakes(format, 'word_template') && (
        <WordTemplateChoice
          value={options.word_template}
          hasPreview={hasPreview}
          onChange={(next) => change({ word_template: next })}
        />
      )}
      {choiceNames
        .filter((name) => formatTakes(format, name))
        .map((name) => (
          <NativeSelect
            key={name}
            label={choiceTitles[name]}
            data={Object.entries(choiceLabels[name]).map(([value, label]) => ({ value, label }))}
            value={options[name]}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
          />
        ))}
      {flagNames
        .filter((name) => formatTakes(format, name) && (name !== 'summary' || hasSummary))
        .map((name) => (
          <Checkbox
            key={name}
            label={flagLabels[name]}
            checked={options[name]}
            onChange={(event) => change({ [name]: event.currentTarget.checked })}
          />
        ))}
    </Stack>
  );
}
