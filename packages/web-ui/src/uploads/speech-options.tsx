import { t } from '@lingui/core/macro';
import { Group, NativeSelect, NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { limitsQuery } from '../api/queries.ts';
import type { SpeechOptions } from '../state/upload.ts';
import { languageChoice } from './languages.ts';

export const anySpeech: SpeechOptions = { language: '', minSpeakers: null, maxSpeakers: null };

/** The options in the form of the API, without empty ones. */
export function speechOptionsBody({ language, minSpeakers, maxSpeakers, speakersBy }: SpeechOptions) {
  return {
    ...(language === '' ? {} : { language }),
    ...(minSpeakers === null ? {} : { min_speakers: minSpeakers }),
    ...(maxSpeakers === null ? {} : { max_speakers: maxSpeakers }),
    ...(speakersBy === undefined ? {} : { speakers_by: speakersBy }),
  };
}

/** The error of the options; null for valid ones. */
export function speechProblem({ minSpeakers: min, maxSpeakers: max }: SpeechOptions): string | null {
  return min !== null && max !== null && min > max ? t`The minimum can’t be greater than the maximum.` : null;
}

type Props = { readonly value: SpeechOptions; readonly onChange: (next: SpeechOptions) => void };

export function SpeechOptionsFields({ value, onChange }: Props) {
  const { options, note } = languageChoice(useQuery(limitsQuery).data?.languages);
  const { speakersBy: _, ...byVoice } = value;
  return (
    <Group gap="sm" align="flex-start" wrap="wrap">
      <NativeSelect
        label={t`Spoken language`}
        value={value.language}
        onChange={(event) => onChange({ ...value, language: event.currentTarget.value })}
        data={options}
        description={note}
        disabled={options.length === 1}
        inputWrapperOrder={['label', 'input', 'description']}
        style={{ flex: '1 1 100%' }}
      />
      <NativeSelect
        label={t`Speakers`}
        value={value.speakersBy ?? 'voice'}
        data={[
          { value: 'voice', label: t`Identified by voice` },
          { value: 'track', label: t`One per sound track or channel` },
        ]}
        onChange={(event) =>
          onChange(event.currentTarget.value === 'track' ? { ...byVoice, speakersBy: 'track' } : byVoice)
        }
        description={
          value.speakersBy &&
          t`For recordings with a microphone for each person. Speakers in a single channel are identified by voice.`
        }
        inputWrapperOrder={['label', 'input', 'description']}
        style={{ flex: '1 1 100%' }}
      />
      {value.speakersBy === undefined && (
        <>
          <SpeakerCount
            label={t`Min. speakers`}
            value={value.minSpeakers}
            error={speechProblem(value)}
            onChange={(minSpeakers) => onChange({ ...value, minSpeakers })}
          />
          <SpeakerCount
            label={t`Max. speakers`}
            value={value.maxSpeakers}
            error={null}
            onChange={(maxSpeakers) => onChange({ ...value, maxSpeakers })}
          />
        </>
      )}
    </Group>
  );
}

type CountProps = {
  readonly label: string;
  readonly value: number | null;
  readonly error: string | null;
  readonly onChange: (count: number | null) => void;
};

function SpeakerCount({ label, value, error, onChange }: CountProps) {
  return (
    <NumberInput
      label={label}
      placeholder={t`Any`}
      min={1}
      max={50}
      allowDecimal={false}
      value={value ?? ''}
      error={error}
      onChange={(next) => onChange(typeof next === 'number' ? next : null)}
      style={{ flex: '1 1 8.5rem' }}
    />
  );
}
