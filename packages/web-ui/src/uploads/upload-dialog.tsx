import { ActionIcon, Alert, Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { limitsQuery } from '../api/queries.ts';
import { Icon } from '../app/icons.tsx';
import { uploads } from '../app/services.ts';
import { bytes, limitBytes, plural } from '../lib/format.ts';
import { anySpeech, SpeechOptionsFields, speechProblem } from './speech-options.tsx';
import { refusal, titleFrom, type Limits } from './upload.ts';

type Props = { readonly files: readonly File[]; readonly onClose: () => void };

/** Asks what the pipeline should know before it begins, and refuses what cannot be taken before a byte moves. */
export const UploadDialog = ({ files, onClose }: Props) => {
  const limits = useQuery(limitsQuery);
  const [titles, setTitles] = useState<ReadonlyMap<File, string>>(new Map());
  const [dropped, setDropped] = useState<ReadonlySet<File>>(new Set());
  const [speech, setSpeech] = useState(anySpeech);
  const shown = files.filter((f) => !dropped.has(f));
  const good = shown.filter((f) => refusal(f, limits.data) === null);
  const range = speechProblem(speech);
  const start = (): void => {
    const common = { ...speech, allowDuplicate: false };
    uploads.add(
      good.map((file) => ({ file, options: { ...common, title: (titles.get(file) ?? titleFrom(file.name)).trim() } })),
    );
    onClose();
  };
  const drop = (file: File): void => {
    if (shown.length === 1) onClose();
    else setDropped(new Set([...dropped, file]));
  };
  return (
    <Modal opened onClose={onClose} title={<b>Add {plural(shown.length, 'recording')}</b>} size="lg">
      <form
        data-testid="upload-dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (good.length > 0 && range === null) start();
        }}
      >
        <Stack gap="md">
          <LimitWords limits={limits.data} pending={limits.isPending} />
          <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {shown.map((file, index) => (
              <FileRow
                key={`${file.name}-${file.lastModified}-${index}`}
                file={file}
                title={titles.get(file) ?? titleFrom(file.name)}
                problem={refusal(file, limits.data)}
                limits={limits.data}
                onTitle={(title) => setTitles(new Map(titles).set(file, title))}
                onDrop={() => drop(file)}
              />
            ))}
          </Stack>
          <SpeechOptionsFields value={speech} onChange={setSpeech} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              data-autofocus
              disabled={good.length === 0 || range !== null}
              leftSection={<Icon name="upload" size={18} />}
            >
              Upload and transcribe
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
};

const LimitWords = ({ limits, pending }: { limits: Limits | undefined; pending: boolean }) =>
  pending ? (
    <Skeleton h={20} w="70%" />
  ) : (
    <Text size="sm" c="dimmed" h={20}>
      {limits ? `Audio or video, up to ${limitBytes(limits.max_bytes)} each.` : 'Audio or video.'}
    </Text>
  );

type RowProps = {
  readonly file: File;
  readonly title: string;
  readonly problem: string | null;
  readonly limits: Limits | undefined;
  readonly onTitle: (title: string) => void;
  readonly onDrop: () => void;
};
const FileRow = ({ file, title, problem, limits, onTitle, onDrop }: RowProps) => (
  <li>
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        label={`Title of ${file.name}`}
        description={bytes(file.size)}
        inputWrapperOrder={['label', 'input', 'description']}
        value={title}
        maxLength={255}
        onChange={(event) => onTitle(event.currentTarget.value)}
        style={{ flex: 1, minWidth: 0 }}
        styles={{ label: { overflowWrap: 'anywhere', maxWidth: '100%' } }}
      />
      <ActionIcon aria-label={`Leave out ${file.name}`} onClick={onDrop} mb={22}>
        <Icon name="close" size={18} />
      </ActionIcon>
    </Group>
    {problem !== null && (
      <Alert color="red" variant="light" mt={6} p="xs" role="alert">
        {problemWords(problem, file, limits)}
      </Alert>
    )}
  </li>
);

const problemWords = (problem: string, file: File, limits: Limits | undefined): string => {
  if (problem === 'too_large') {
    return `This file has ${bytes(file.size)}; this server takes up to ${limitBytes(limits?.max_bytes ?? 0)}. Cut or compress it first.`;
  }
  return problem === 'not_media' ? 'This is neither audio nor video, so there is nothing to transcribe.' : problem;
};
