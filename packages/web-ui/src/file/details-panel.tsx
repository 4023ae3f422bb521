import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { timelineQuery, type FileDetail } from '../api/queries.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { stageNames } from '../library/status.ts';
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

/** What made this transcript, and how long each stage took. */
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
      <StageTimes uuid={file.uuid} />
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

const seconds = (value: number | null): string =>
  value === null ? '' : value < 10 ? `${value.toFixed(1)} s` : duration(value);

const StageTimes = ({ uuid }: { uuid: string }) => {
  const timeline = useQuery(timelineQuery(uuid));
  if (timeline.isError)
    return (
      <ErrorNote
        error={timeline.error}
        title="The stages cannot be read just now"
        onRetry={() => void timeline.refetch()}
      />
    );
  if (!timeline.data) return null;
  return (
    <Table fz="xs" verticalSpacing={4} horizontalSpacing={4} data-testid="timeline">
      <Table.Caption>Stages of the last run</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Stage</Table.Th>
          <Table.Th ta="right">Time</Table.Th>
          <Table.Th ta="right">Engine</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {timeline.data.stages.map((stage) => (
          <Table.Tr key={stage.stage} {...(stage.status === 'failed' ? { c: 'red' } : {})}>
            <Table.Td>
              {stageNames[stage.stage]}
              {stage.attempts > 1 ? ` (${stage.attempts} tries)` : ''}
            </Table.Td>
            <Table.Td ta="right" className="ot-tabular">
              {stage.seconds === null ? stage.status : seconds(stage.seconds)}
            </Table.Td>
            <Table.Td ta="right" className="ot-tabular">
              {seconds(stage.engine_seconds)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};
