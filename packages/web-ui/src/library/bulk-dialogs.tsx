import { plural, t } from '@lingui/core/macro';
import { Button, Group, SegmentedControl, Stack, TagsInput, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { RequestBody, ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { limitsQuery, tagsQuery, type FileItem } from '../api/queries.ts';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { notify } from '../ui/notify.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { drafts } from '../state/services.ts';
import { useDraft } from '../state/use-draft.ts';
import { assertNever } from '../lib/assert-never.ts';
import { anySpeech, SpeechOptionsFields, speechOptionsBody, speechProblem } from '../uploads/speech-options.tsx';
import { lostAccessText } from './access-labels.ts';
import { binDaysText } from './bin-days.ts';
import { emptyShare, shareBody, ShareFormFields } from '../sharing/share-form.tsx';
import { Dialog } from '../ui/dialog.tsx';

export type BulkAction = 'tag' | 'share' | 'reprocess' | 'delete';
type Request = RequestBody<'POST /api/files/bulk'>;
type Result = ResponseBody<'POST /api/files/bulk'>['results'][number];
type Props = {
  readonly action: BulkAction;
  readonly files: readonly FileItem[];
  readonly onClose: () => void;
  /** At least one file was changed. */
  readonly onDone: () => void;
};

const doneTexts: Record<BulkAction, (count: number) => string> = {
  tag: (count) => plural(count, { one: 'Tagged # recording.', other: 'Tagged # recordings.' }),
  share: (count) => plural(count, { one: 'Shared # recording.', other: 'Shared # recordings.' }),
  reprocess: (count) =>
    plural(count, { one: 'Transcribing again: # recording.', other: 'Transcribing again: # recordings.' }),
  delete: (count) => plural(count, { one: 'Moved to the bin: # recording.', other: 'Moved to the bin: # recordings.' }),
};

/** The dialog of one action on many files. It shows the result of each file if any failed. */
export function BulkDialog({ action, files, onClose, onDone }: Props) {
  const client = useQueryClient();
  const [failedResults, setFailedResults] = useState<readonly Result[] | null>(null);
  const run = useMutation({
    mutationFn: (body: Request) => call('POST /api/files/bulk', { body }),
    onSuccess: ({ results }) => {
      const done = results.filter(({ error }) => error === null).map(({ file_uuid }) => file_uuid);
      if (done.length > 0) {
        drafts.drop(draftKey(action));
        const message = doneTexts[action](done.length);
        if (action === 'delete') notifyWithUndo(message, () => restore(done));
        else notify(message);
      }
      if (done.length === results.length) {
        onClose();
        onDone();
      } else setFailedResults(results);
    },
    onSettled: () => refresh(),
  });
  async function refresh(): Promise<void> {
    await Promise.all(
      ['files', 'file', 'tags', 'shares', 'timeline'].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
  }
  async function restore(file_uuids: string[]): Promise<void> {
    const { results } = await call('POST /api/files/bulk', { body: { action: 'restore', file_uuids } });
    await refresh();
    const failed = results.filter(({ error }) => error !== null);
    if (failed.length > 0)
      throw new Error(t`${plural(failed.length, { one: '# recording', other: '# recordings' })} couldn’t be restored.`);
  }
  const form = { files, run, onClose };
  if (failedResults !== null) {
    return (
      <ResultsDialog
        files={files}
        results={failedResults}
        onClose={() => {
          onClose();
          onDone();
        }}
      />
    );
  }
  switch (action) {
    case 'tag':
      return <TagDialog {...form} />;
    case 'share':
      return <ShareDialog {...form} />;
    case 'reprocess':
      return <AgainDialog {...form} />;
    case 'delete':
      return <DeleteDialog {...form} />;
    default:
      return assertNever(action);
  }
}

/** The key does not depend on the files: after a reload the person selects them again. */
function draftKey(action: BulkAction): string {
  return `bulk-${action}`;
}

type FormProps = {
  readonly files: readonly FileItem[];
  readonly run: {
    readonly mutate: (request: Request) => void;
    readonly error: Error | null;
    readonly isPending: boolean;
  };
  readonly onClose: () => void;
};

function uuidsOf(files: readonly FileItem[]): string[] {
  return files.map(({ uuid }) => uuid);
}

type TagFields = {
  readonly kind: 'add_tags' | 'remove_tags';
  readonly tags: readonly string[];
  /** A tag that is typed, but not entered yet. */
  readonly text: string;
};
const noTags: TagFields = { kind: 'add_tags', tags: [], text: '' };

function TagDialog({ files, run, onClose }: FormProps) {
  const draft = useDraft(draftKey('tag'), noTags);
  const { kind, tags, text } = draft.value;
  // Tags and text change in one event, before the next render.
  const change = (fields: Partial<TagFields>): void =>
    draft.set({ ...((drafts.read(draftKey('tag')) as TagFields | undefined) ?? noTags), ...fields });
  const all = [...new Set([...tags, text.trim()])].filter((tag) => tag !== '');
  const known = useQuery(tagsQuery).data ?? [];
  return (
    <FormDialog
      title={t`Tags of ${plural(files.length, { one: '# recording', other: '# recordings' })}`}
      action={kind === 'add_tags' ? t`Add tags` : t`Remove tags`}
      unready={stillMissing(all.length === 0 && t`Tags`)}
      sending={run}
      draft={draft}
      onSubmit={() => run.mutate({ action: kind, file_uuids: uuidsOf(files), tags: all })}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label={t`What to do with the tags`}
        value={kind}
        onChange={(next) => change({ kind: next })}
        data={[
          { value: 'add_tags', label: t`Add` },
          { value: 'remove_tags', label: t`Remove` },
        ]}
      />
      <TagsInput
        label={t`Tags`}
        description={t`Press Enter after each tag.`}
        data-autofocus
        data={known.map(({ name }) => name)}
        value={[...tags]}
        onChange={(next) => change({ tags: next, text: '' })}
        searchValue={text}
        onSearchChange={(next) => change({ text: next })}
        maxTags={20}
        acceptValueOnBlur={false}
        // The first Escape closes the dialog, not a list that opened unasked.
        openOnFocus={false}
      />
    </FormDialog>
  );
}

function ShareDialog({ files, run, onClose }: FormProps) {
  const draft = useDraft(draftKey('share'), emptyShare);
  const share = shareBody(draft.value);
  return (
    <FormDialog
      title={t`Share ${plural(files.length, { one: '# recording', other: '# recordings' })}`}
      action={t`Share`}
      unready={share === null ? t`Choose with whom.` : null}
      sending={run}
      draft={draft}
      onSubmit={() => share !== null && run.mutate({ action: 'share', file_uuids: uuidsOf(files), ...share })}
      onClose={onClose}
    >
      <ShareFormFields value={draft.value} onChange={draft.set} />
    </FormDialog>
  );
}

function AgainDialog({ files, run, onClose }: FormProps) {
  const draft = useDraft(draftKey('reprocess'), anySpeech);
  const speech = draft.value;
  return (
    <FormDialog
      title={t`Transcribe ${plural(files.length, { one: '# recording', other: '# recordings' })} again?`}
      action={t`Transcribe`}
      unready={speechProblem(speech)}
      sending={run}
      draft={draft}
      onSubmit={() => run.mutate({ action: 'reprocess', file_uuids: uuidsOf(files), ...speechOptionsBody(speech) })}
      onClose={onClose}
    >
      <Text size="sm">{t`The new transcripts replace the current ones, including all corrections and speaker names.`}</Text>
      <SpeechOptionsFields value={speech} onChange={draft.set} />
    </FormDialog>
  );
}

function DeleteDialog({ files, run, onClose }: FormProps) {
  const limits = useQuery(limitsQuery);
  const shared = files.filter(({ is_shared: isShared }) => isShared).length;
  return (
    <FormDialog
      title={t`Delete ${plural(files.length, { one: '# recording', other: '# recordings' })}?`}
      action={t`Delete`}
      danger
      sending={run}
      onSubmit={() => run.mutate({ action: 'delete', file_uuids: uuidsOf(files) })}
      onClose={onClose}
    >
      <Text size="sm">
        {t`They move to the bin with their transcripts.`} {binDaysText(limits.data?.bin_days)}
      </Text>
      {shared > 0 && <Text size="sm">{lostAccessText(shared)}</Text>}
      <FileTitles files={files} />
    </FormDialog>
  );
}

function FileTitles({ files, resultOf }: { files: readonly FileItem[]; resultOf?: (uuid: string) => ReactNode }) {
  return (
    <ul style={{ margin: 0, paddingLeft: '1.25rem', maxHeight: '40vh', overflowY: 'auto' }} tabIndex={0}>
      {files.map(({ uuid, title }) => (
        <li key={uuid} style={{ overflowWrap: 'anywhere' }}>
          <Text size="sm" span>
            {title}
          </Text>
          {resultOf?.(uuid)}
        </li>
      ))}
    </ul>
  );
}

type ResultsProps = {
  readonly files: readonly FileItem[];
  readonly results: readonly Result[];
  readonly onClose: () => void;
};

function ResultsDialog({ files, results, onClose }: ResultsProps) {
  const failed = results.filter(({ error }) => error !== null).length;
  const errorOf = (uuid: string): Result['error'] => results.find(({ file_uuid }) => file_uuid === uuid)?.error ?? null;
  const resultOf = (uuid: string): ReactNode => {
    const error = errorOf(uuid);
    return (
      <Text size="xs" c={error ? 'red' : 'dimmed'}>
        {error ? error.message : t`Done`}
      </Text>
    );
  };
  const ordered = [...files].sort((x, y) => Number(errorOf(y.uuid) !== null) - Number(errorOf(x.uuid) !== null));
  return (
    <Dialog
      onClose={onClose}
      title={<b>{t`${plural(failed, { one: '# recording', other: '# recordings' })} not changed`}</b>}
    >
      <Stack gap="md" data-testid="bulk-results">
        <Group gap="xs" c="red" wrap="nowrap">
          <Icon name="alert" size={18} />
          <Text size="sm" c="inherit">
            {t`${results.length - failed} of ${plural(results.length, { one: '# recording', other: '# recordings' })} done.`}
          </Text>
        </Group>
        <FileTitles files={ordered} resultOf={resultOf} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t`Close`}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
