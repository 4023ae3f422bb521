import { Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import type { FileDetail } from '../api/queries.ts';
import { bytes, duration, moment } from '../lib/format.ts';
import { languageName } from '../uploads/languages.ts';
import { useFile } from './file-context.ts';
import css from './file.module.css';

const engineNames: Record<NonNullable<FileDetail['engine']>['provider'], string> = {
  'sherpa-onnx': 'sherpa-onnx',
  'openai-compatible': 'Remote endpoint',
  pocketsphinx: 'PocketSphinx',
  scripted: 'Scripted (tests only)',
};

/** What made this transcript. */
export const DetailsPanel = () => {
  const { file } = useFile();
  return (
    <Stack gap="md" data-testid="details">
      <dl className={css['facts']}>
        {factsOf(file).map(([term, fact]) => (
          <Fragment key={term}>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </Fragment>
        ))}
      </dl>
      {file.engine?.provider === 'pocketsphinx' && (
        <Text size="xs" c="dimmed">
          PocketSphinx knows English only and mishears more than a neural engine. An administrator can add a better one;
          then use “Transcribe again”.
        </Text>
      )}
      {file.engine?.timing === 'estimated' && (
        <Text size="xs" c="dimmed">
          This engine gives no times for single words; they are estimated inside its passages.
        </Text>
      )}
    </Stack>
  );
};

const factsOf = (file: FileDetail): (readonly [string, string])[] => [
  ['Engine', file.engine ? `${engineNames[file.engine.provider]}, ${file.engine.model}` : 'not yet'],
  ['Speakers by', file.diarization_provider ?? 'not yet'],
  ['Language', file.language === null ? 'not known' : languageName(file.language)],
  ['Length', file.duration === null ? 'not known yet' : duration(file.duration)],
  ['File', `${file.filename}, ${bytes(file.file_size)}`],
  ['Type', file.content_type],
  ['Uploaded', moment(file.upload_time)],
  ...(file.recorded_date === null ? [] : [['Recorded', moment(file.recorded_date)] as const]),
  ...(file.completed_at === null ? [] : [['Finished', moment(file.completed_at)] as const]),
];
