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

/** The facts about a recording and its transcript. */
export function DetailsPanel() {
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
          PocketSphinx supports English only and is less accurate than a neural engine. Once an administrator has added
          a better engine, choose “Transcribe again”.
        </Text>
      )}
      {file.engine?.timing === 'estimated' && (
        <Text size="xs" c="dimmed">
          This engine reports no times for single words. They are estimated within each passage.
        </Text>
      )}
    </Stack>
  );
}

function factsOf(file: FileDetail): (readonly [string, string])[] {
  return [
    ['Owner', file.owner_name ?? (file.my_permission === 'owner' ? 'You' : 'unknown')],
    ['Engine', file.engine ? `${engineNames[file.engine.provider]}, ${file.engine.model}` : 'not yet'],
    ['Speaker detection', file.diarization_provider ?? 'not yet'],
    ['Language', file.language === null ? 'unknown' : languageName(file.language)],
    ['Length', file.duration === null ? 'not yet known' : duration(file.duration)],
    ['File', `${file.filename}, ${bytes(file.file_size)}`],
    ['Type', file.content_type],
    ['Uploaded', moment(file.upload_time)],
    ...(file.recorded_date === null ? [] : [['Recorded', moment(file.recorded_date)] as const]),
    ...(file.completed_at === null ? [] : [['Finished', moment(file.completed_at)] as const]),
  ];
}
