import { t } from '@lingui/core/macro';
import { Autocomplete, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { RefObject } from 'react';
import css from './replace.module.css';
import type { Replacing } from './use-replacing.ts';

type SpeakerOption = { readonly value: string; readonly label: string };
type Props = {
  readonly replacing: Replacing;
  /** The speakers of the only recording; null: any name can be entered. */
  readonly speakers: readonly SpeakerOption[] | null;
  readonly findRef?: RefObject<HTMLInputElement | null>;
};

/** What is searched for and what takes its place. */
export function SearchFields({ replacing, speakers, findRef }: Props) {
  const { fields, change, files } = replacing;
  const onSpeaker = (speaker: string): void => change({ speaker: speaker === '' ? null : speaker });
  const names = [...new Set(files.flatMap(({ places }) => places.flatMap(({ speaker }) => speaker ?? [])))];
  return (
    // Enter would replace all that was found so far.
    <div
      className={css['fields']}
      onKeyDown={(event) => event.key === 'Enter' && event.target instanceof HTMLInputElement && event.preventDefault()}
    >
      <TextInput
        ref={findRef}
        data-autofocus
        label={t`Find`}
        value={fields.find}
        maxLength={500}
        onChange={(event) => change({ find: event.currentTarget.value })}
      />
      <TextInput
        label={t`Replace with`}
        value={fields.replacement}
        maxLength={1000}
        onChange={(event) => change({ replacement: event.currentTarget.value })}
      />
      {speakers ? (
        <NativeSelect
          label={t`Speaker`}
          data={[{ value: '', label: t`Everyone` }, ...speakers]}
          value={fields.speaker ?? ''}
          onChange={(event) => onSpeaker(event.currentTarget.value)}
        />
      ) : (
        <Autocomplete
          label={t`Speaker`}
          placeholder={t`Everyone`}
          data={names}
          value={fields.speaker ?? ''}
          maxLength={200}
          onChange={onSpeaker}
        />
      )}
      <div className={css['options']}>
        <Checkbox
          label={t`Match case`}
          checked={fields.match_case}
          onChange={(event) => change({ match_case: event.currentTarget.checked })}
        />
        <Checkbox
          label={t`Whole words`}
          checked={fields.whole_word}
          onChange={(event) => change({ whole_word: event.currentTarget.checked })}
        />
        <Checkbox
          label={t`Regular expression`}
          checked={fields.regex}
          onChange={(event) => change({ regex: event.currentTarget.checked })}
        />
      </div>
    </div>
  );
}
