import { Button, Group, Modal, NativeSelect, SegmentedControl, Select, Stack, TagsInput, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { call } from '../api/client.ts';
import { tagsQuery, type FileItem } from '../api/queries.ts';
import type { Answer, Body } from '../api/routes.ts';
import { FormDialog } from '../app/form-dialog.tsx';
import { Icon } from '../app/icons.tsx';
import { say } from '../app/notify.ts';
import { sayWithUndo } from '../app/action-toast.tsx';
import { groupsQuery } from '../groups/group-queries.ts';
import { PeopleSelect } from '../groups/people-select.tsx';
import { assertNever } from '../lib/assert-never.ts';
import { plural } from '../lib/format.ts';
import { anySpeech, SpeechOptionsFields, speechOptionsBody, speechProblem } from '../uploads/speech-options.tsx';

export type BulkAction = 'tag' | 'share' | 'reprocess' | 'delete';
type Request = Body<'bulk'>;
type Result = Answer<'bulk'>['results'][number];
type Props = {
  readonly action: BulkAction;
  readonly files: readonly FileItem[];
  readonly onClose: () => void;
  /** At least one file was changed. */
  readonly onDone: () => void;
};

const doneWords: Record<BulkAction, string> = {
  tag: 'Tagged',
  share: 'Shared',
  reprocess: 'Transcribing again:',
  delete: 'Moved to the bin:',
};

/** Asks for the details of one action on many files, and shows a result for each file when not all succeeded. */
export const BulkDialog = ({ action, files, onClose, onDone }: Props) => {
  const client = useQueryClient();
  const [results, setResults] = useState<readonly Result[] | null>(null);
  const run = useMutation({
    mutationFn: (body: Request) => call('bulk', { body }),
    onSuccess: ({ results: answered }) => {
      const done = answered.filter(({ error }) => error === null).map(({ file_uuid }) => file_uuid);
      if (done.length > 0) {
        const words = `${doneWords[action]} ${plural(done.length, 'recording')}.`;
        if (action === 'delete') sayWithUndo(words, () => restore(done));
        else say(words);
      }
      if (done.length === answered.length) {
        onClose();
        onDone();
      } else setResults(answered);
    },
    onSettled: () => refresh(),
  });
  async function refresh(): Promise<void> {
    await Promise.all(
      ['files', 'file', 'tags', 'shares', 'timeline'].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
  }
  async function restore(file_uuids: string[]): Promise<void> {
    const answer = await call('bulk', { body: { action: 'restore', file_uuids } });
    await refresh();
    const failed = answer.results.filter(({ error }) => error !== null);
    if (failed.length > 0) throw new Error(`${plural(failed.length, 'recording')} couldn’t be restored.`);
  }
  const form = { files, run, onClose };
  if (results !== null) {
    return (
      <ResultsDialog
        files={files}
        results={results}
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
};

type FormProps = {
  readonly files: readonly FileItem[];
  readonly run: {
    readonly mutate: (request: Request) => void;
    readonly error: Error | null;
    readonly isPending: boolean;
  };
  readonly onClose: () => void;
};
const uuidsOf = (files: readonly FileItem[]): string[] => files.map(({ uuid }) => uuid);

const TagDialog = ({ files, run, onClose }: FormProps) => {
  const [kind, setKind] = useState<'add_tags' | 'remove_tags'>('add_tags');
  const [tags, setTags] = useState<string[]>([]);
  const known = useQuery(tagsQuery).data ?? [];
  return (
    <FormDialog
      title={`Tags of ${plural(files.length, 'recording')}`}
      action={kind === 'add_tags' ? 'Add tags' : 'Remove tags'}
      ready={tags.length > 0}
      sending={run}
      onSubmit={() => run.mutate({ action: kind, file_uuids: uuidsOf(files), tags })}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label="What to do with the tags"
        value={kind}
        onChange={setKind}
        data={[
          { value: 'add_tags', label: 'Add' },
          { value: 'remove_tags', label: 'Remove' },
        ]}
      />
      <TagsInput
        label="Tags"
        description="Press Enter after each tag."
        data-autofocus
        data={known.map(({ name }) => name)}
        value={tags}
        onChange={setTags}
        maxTags={20}
        acceptValueOnBlur
      />
    </FormDialog>
  );
};

const ShareDialog = ({ files, run, onClose }: FormProps) => {
  const groups = useQuery(groupsQuery(''));
  const [kind, setKind] = useState<'person' | 'group'>('person');
  const [chosen, setChosen] = useState<string | null>(null);
  const [permission, setPermission] = useState<'viewer' | 'editor'>('viewer');
  const submit = (): void => {
    if (chosen === null) return;
    const target = kind === 'person' ? { user_uuid: chosen } : { group_uuid: chosen };
    run.mutate({ action: 'share', file_uuids: uuidsOf(files), permission, ...target });
  };
  return (
    <FormDialog
      title={`Share ${plural(files.length, 'recording')}`}
      action="Share"
      ready={chosen !== null}
      sending={run}
      onSubmit={submit}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label="Share with"
        value={kind}
        onChange={(next) => {
          setKind(next);
          setChosen(null);
        }}
        data={[
          { value: 'person', label: 'A person' },
          { value: 'group', label: 'A group' },
        ]}
      />
      {kind === 'person' ? (
        <PeopleSelect label="Person" value={chosen} onChange={setChosen} />
      ) : (
        <Select
          label="Group"
          placeholder="One of your groups"
          searchable
          data={(groups.data ?? []).map(({ uuid, name }) => ({ value: uuid, label: name }))}
          value={chosen}
          error={groups.isError ? 'The groups couldn’t be loaded' : null}
          nothingFoundMessage="No such group"
          onChange={setChosen}
        />
      )}
      <NativeSelect
        label="Permission"
        data={[
          { value: 'viewer', label: 'May read' },
          { value: 'editor', label: 'May correct' },
        ]}
        value={permission}
        onChange={(event) => setPermission(event.currentTarget.value as 'viewer' | 'editor')}
      />
    </FormDialog>
  );
};

const AgainDialog = ({ files, run, onClose }: FormProps) => {
  const [speech, setSpeech] = useState(anySpeech);
  return (
    <FormDialog
      title={`Transcribe ${plural(files.length, 'recording')} again?`}
      action="Transcribe"
      ready={speechProblem(speech) === null}
      sending={run}
      onSubmit={() => run.mutate({ action: 'reprocess', file_uuids: uuidsOf(files), ...speechOptionsBody(speech) })}
      onClose={onClose}
    >
      <Text size="sm">New transcripts replace the present ones, with every correction and speaker name in them.</Text>
      <SpeechOptionsFields value={speech} onChange={setSpeech} />
    </FormDialog>
  );
};

const DeleteDialog = ({ files, run, onClose }: FormProps) => (
  <FormDialog
    title={`Delete ${plural(files.length, 'recording')}?`}
    action="Delete"
    danger
    sending={run}
    onSubmit={() => run.mutate({ action: 'delete', file_uuids: uuidsOf(files) })}
    onClose={onClose}
  >
    <Text size="sm">They move to the bin with their transcripts. You can restore them for 30 days.</Text>
    <FileTitles files={files} />
  </FormDialog>
);

const FileTitles = ({ files, resultOf }: { files: readonly FileItem[]; resultOf?: (uuid: string) => ReactNode }) => (
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

type ResultsProps = {
  readonly files: readonly FileItem[];
  readonly results: readonly Result[];
  readonly onClose: () => void;
};
const ResultsDialog = ({ files, results, onClose }: ResultsProps) => {
  const failed = results.filter(({ error }) => error !== null).length;
  const errorOf = (uuid: string): Result['error'] => results.find(({ file_uuid }) => file_uuid === uuid)?.error ?? null;
  const resultOf = (uuid: string): ReactNode => {
    const error = errorOf(uuid);
    return (
      <Text size="xs" c={error ? 'red' : 'dimmed'}>
        {error ? error.message : 'Done'}
      </Text>
    );
  };
  const ordered = [...files].sort((x, y) => Number(errorOf(y.uuid) !== null) - Number(errorOf(x.uuid) !== null));
  return (
    <Modal opened onClose={onClose} title={<b>{plural(failed, 'recording')} not changed</b>}>
      <Stack gap="md" data-testid="bulk-results">
        <Group gap="xs" c="red" wrap="nowrap">
          <Icon name="alert" size={18} />
          <Text size="sm" c="inherit">
            {`${results.length - failed} of ${plural(results.length, 'recording')} done.`}
          </Text>
        </Group>
        <FileTitles files={ordered} resultOf={resultOf} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    </Modal>
  );
};
