import { plural, t } from '@lingui/core/macro';
import { ActionIcon, Alert, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { limitsQuery } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { drafts, uploads } from '../state/services.ts';
import { useUnsaved } from '../ui/unsaved.tsx';
import { confirmDiscard, RestoredNote } from '../ui/draft.tsx';
import { useDraft } from '../state/use-draft.ts';
import { bytes } from '../lib/format.ts';
import { EngineOptionsFields } from './engine-options.tsx';
import { anySpeech, SpeechOptionsFields, speechProblem } from './speech-options.tsx';
import { refusal, titleFrom, type Limits } from '../state/upload.ts';
import { Dialog } from '../ui/dialog.tsx';
import { focusRefusedField } from '../ui/focus-refused-field.ts';

type Props = { readonly files: readonly File[]; readonly onClose: () => void };

/** Asks for titles and speech options, and rejects files the server would refuse before any byte is sent. */
export function UploadDialog({ files, onClose }: Props) {
  const limits = useQuery(limitsQuery);
  const titles = useTitles();
  const [removed, setRemoved] = useState<ReadonlySet<File>>(new Set());
  const speech = useDraft('upload-options', anySpeech, { askToLeave: false });
  const shown = files.filter((file) => !removed.has(file));
  const accepted = shown.filter((file) => refusal(file, limits.data) === null);
  const ready = accepted.length > 0 && speechProblem(speech.value) === null;
  const changed = speech.changed || shown.some(titles.isTyped);
  const finish = (): void => {
    speech.drop();
    files.forEach(titles.drop);
    onClose();
  };
  useUnsaved(changed, finish);
  const close = (): void => void confirmDiscard({ changed, drop: finish });
  const start = (): void => {
    const common = { ...speech.value, allowDuplicate: false };
    uploads.add(accepted.map((file) => ({ file, options: { ...common, title: titles.of(file).trim() } })));
    finish();
  };
  const remove = (file: File): void => {
    if (shown.length === 1) close();
    else setRemoved(new Set([...removed, file]));
  };
  return (
    <Dialog
      onClose={close}
      title={<b>{t`Add ${plural(shown.length, { one: '# recording', other: '# recordings' })}`}</b>}
      size="lg"
    >
      <form
        data-testid="upload-dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) start();
          else focusRefusedField(event.currentTarget);
        }}
      >
        <Stack gap="md">
          <RestoredNote draft={speech} />
          <LimitNote limits={limits.data} pending={limits.isPending} />
          <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {shown.map((file, index) => (
              <FileRow
                key={`${file.name}-${file.lastModified}-${index}`}
                file={file}
                title={titles.of(file)}
                problem={refusal(file, limits.data)}
                limits={limits.data}
                onTitle={(title) => titles.set(file, title)}
                onRemove={() => remove(file)}
              />
            ))}
          </Stack>
          <SpeechOptionsFields value={speech.value} onChange={speech.set} />
          <EngineOptionsFields limits={limits.data} value={speech.value} onChange={speech.set} />
          <Group justify="flex-end" gap="sm" className="ot-dialog-buttons">
            <Button variant="default" onClick={close}>
              {t`Cancel`}
            </Button>
            <Button
              type="submit"
              data-autofocus
              // A disabled button loses the focus when the limits refuse the file.
              data-disabled={!ready}
              aria-disabled={!ready}
              leftSection={<Icon name="upload" size={18} />}
            >
              {t`Upload and transcribe`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** The typed titles, as drafts: the browser gives a file back only when it is chosen again after a reload. */
function useTitles() {
  const stored = useSyncExternalStore(drafts.all.subscribe, drafts.all.get);
  const draftKeyOf = ({ name, size, lastModified }: File): string => `upload-title:${name}:${size}:${lastModified}`;
  const drop = (file: File): void => drafts.drop(draftKeyOf(file));
  return {
    of: (file: File) => (stored.get(draftKeyOf(file)) as string | undefined) ?? titleFrom(file.name),
    isTyped: (file: File) => stored.has(draftKeyOf(file)),
    set: (file: File, title: string) =>
      title === titleFrom(file.name) ? drop(file) : drafts.write(draftKeyOf(file), title),
    drop,
  };
}

function LimitNote({ limits, pending }: { limits: Limits | undefined; pending: boolean }) {
  return pending ? (
    <Skeleton h={20} w="70%" />
  ) : (
    <Text size="sm" c="dimmed" h={20}>
      {limits ? t`Audio or video, up to ${bytes(limits.max_bytes)} each.` : t`Audio or video.`}
    </Text>
  );
}

type RowProps = {
  readonly file: File;
  readonly title: string;
  readonly problem: string | null;
  readonly limits: Limits | undefined;
  readonly onTitle: (title: string) => void;
  readonly onRemove: () => void;
};

function FileRow({ file, title, problem, limits, onTitle, onRemove }: RowProps) {
  return (
    <li>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label={t`Title`}
          description={`${file.name}, ${bytes(file.size)}`}
          inputWrapperOrder={['label', 'input', 'description']}
          value={title}
          maxLength={255}
          onChange={(event) => onTitle(event.currentTarget.value)}
          style={{ flex: 1, minWidth: 0 }}
          styles={{ description: { overflowWrap: 'anywhere' } }}
        />
        <ActionIcon aria-label={t`Remove ${file.name}`} onClick={onRemove} mb={22}>
          <Icon name="close" size={18} />
        </ActionIcon>
      </Group>
      {problem !== null && (
        <Alert color="red" variant="light" mt={6} p="xs" role="alert">
          {problemText(problem, file, limits)}
        </Alert>
      )}
    </li>
  );
}

function problemText(problem: string, file: File, limits: Limits | undefined): string {
  if (problem === 'too_large') {
    return t`This file is ${bytes(file.size)}. The limit is ${bytes(limits?.max_bytes ?? 0)}. Shorten or compress it first.`;
  }
  return problem === 'not_media'
    ? t`This file is neither audio nor video, so there is nothing to transcribe.`
    : problem;
}
