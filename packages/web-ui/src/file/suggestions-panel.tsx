import { t } from '@lingui/core/macro';
import { ActionIcon, Alert, Button, Group, Loader, Stack, Text, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { call } from '../api/client.ts';
import { clock } from '../lib/format.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { QueryStatus } from '../ui/query-status.tsx';
import { canEdit, useFile } from './file-context.ts';
import css from './file.module.css';
import { extractionFailure, extractionOrigin, statusLabels } from './suggestion-labels.ts';
import {
  isBusy,
  suggestionsQuery,
  type Extraction,
  type SuggestionItem,
  type Suggestions,
} from './suggestion-queries.ts';

type Decision = 'accept' | 'reject' | 'undo';
type Decide = (decision: Decision, uuids: readonly string[]) => void;

/** Suggested tags, collections and speaker names, with the words that show them. */
export function SuggestionsPanel() {
  const { file, speakers } = useFile();
  const suggestions = useQuery(suggestionsQuery(file.uuid));
  const { decide, isDeciding, panel } = useDecisions(file.uuid);
  if (!suggestions.data)
    return <QueryStatus of={suggestions} failure={t`The suggestions couldn’t be loaded`} height={80} />;
  const { data } = suggestions;
  const pending = allOf(data).filter(({ status }) => status === 'pending');
  const common = { editable: canEdit(file), disabled: isDeciding, decide };
  return (
    <Stack gap="md" data-testid="suggestions" ref={panel} tabIndex={-1} className={css['focusless'] ?? ''}>
      <States data={data} />
      <List title={t`Tags`} items={data.suggested_tags} {...common} />
      <List title={t`Collections`} items={data.suggested_collections} {...common} />
      <List
        title={t`Speakers`}
        items={data.suggested_speakers.filter(({ speaker_uuid }) => speakers.has(speaker_uuid))}
        of={({ uuid }) => {
          const found = data.suggested_speakers.find((item) => item.uuid === uuid);
          return speakers.get(found?.speaker_uuid ?? '')?.name ?? null;
        }}
        {...common}
      />
      {canEdit(file) && (
        <Group gap="xs">
          {pending.length > 1 && (
            <Button
              size="compact-sm"
              disabled={isDeciding}
              onClick={() =>
                decide(
                  'accept',
                  pending.map(({ uuid }) => uuid),
                )
              }
            >
              {t`Accept all`}
            </Button>
          )}
          <SuggestButton data={data} />
        </Group>
      )}
    </Stack>
  );
}

/** The best suggestion for the name of a speaker, to be shown beside that name. */
export function NameGuess({ speakerId }: { speakerId: string }) {
  const { file, speakers } = useFile();
  const { data } = useQuery(suggestionsQuery(file.uuid));
  const { decide, isDeciding, panel } = useDecisions(file.uuid);
  const [best] = (data?.suggested_speakers ?? [])
    .filter(({ speaker_uuid: id, status }) => id === speakerId && status === 'pending')
    .toSorted((x, y) => y.confidence - x.confidence);
  if (!best) return null;
  const { uuid, name, confidence, status } = best;
  return (
    <div ref={panel} tabIndex={-1} className={css['focusless'] ?? ''} data-testid="name-guess">
      <Group gap={4} ml="md" wrap="nowrap">
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t`Probably ${name} (${Math.round(confidence * 100)} %)`}
        </Text>
        {canEdit(file) && (
          <Actions
            name={t`${name} for ${speakers.get(speakerId)?.name ?? ''}`}
            status={status}
            disabled={isDeciding}
            decide={(choice) => decide(choice, [uuid])}
          />
        )}
      </Group>
    </div>
  );
}

function allOf(data: Suggestions): SuggestionItem[] {
  return [...data.suggested_tags, ...data.suggested_collections, ...data.suggested_speakers];
}

function useDecisions(fileId: string) {
  const client = useQueryClient();
  const panel = useRef<HTMLDivElement>(null);
  const mutation = useMutation({
    mutationFn: ({ decision, uuids }: { decision: Decision; uuids: readonly string[] }) =>
      call(`POST /api/files/{uuid}/suggestions/${decision}`, {
        params: { uuid: fileId },
        body: { suggestion_uuids: [...uuids] },
      }),
    onMutate: () => ({ edit: transcriptVersions.beginEdit(fileId) }),
    onSuccess: ({ suggestions }) => client.setQueryData(suggestionsQuery(fileId).queryKey, suggestions),
    onError: (error) => notifyError(t`The suggestion wasn’t changed`, error),
    onSettled: (response, _error, _input, context) => {
      // The rows take the names of speakers from the file, so the transcript is not loaded again.
      if (context) transcriptVersions.endEdit(fileId, context.edit, response !== undefined);
      for (const key of [['file', fileId], ['tags'], ['files'], ['collections']])
        void client.invalidateQueries({ queryKey: key });
    },
  });
  const decide: Decide = (decision, uuids) => {
    // The pressed button disappears with its suggestion.
    panel.current?.focus({ preventScroll: true });
    mutation.mutate({ decision, uuids });
  };
  return { decide, isDeciding: mutation.isPending, panel };
}

function States({ data }: { data: Suggestions }) {
  const { labels, speakers } = data;
  if (isBusy(labels) || isBusy(speakers))
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" />
        <Text size="sm">{t`Suggestions are being made.`}</Text>
      </Group>
    );
  const failed = [labels, speakers].find(({ state }) => state === 'failed');
  if (failed)
    return (
      <Alert color="red" variant="light" p="xs" icon={<Icon name="alert" size={18} />}>
        {extractionFailure(failed.error_code)}
      </Alert>
    );
  if (labels.state === 'withheld' || speakers.state === 'withheld')
    return <Note>{t`The transcript is being checked for personal data. Suggestions follow after that.`}</Note>;
  if (labels.state === 'none' && speakers.state === 'none') return <Note>{t`There are no suggestions yet.`}</Note>;
  return <Completed data={data} />;
}

function Completed({ data: { labels, speakers, ...data } }: { data: Suggestions }) {
  const isEmpty = allOf({ labels, speakers, ...data }).length === 0;
  const origin = originOf(labels, speakers);
  return (
    <Stack gap={4}>
      {isEmpty && <Note>{t`Nothing was found that could be suggested.`}</Note>}
      {origin !== null && <Note>{origin}</Note>}
      {(labels.out_of_date || speakers.out_of_date) && (
        <Note>{t`The transcript was edited since the suggestions were made.`}</Note>
      )}
    </Stack>
  );
}

function originOf(labels: Extraction, speakers: Extraction): string | null {
  return extractionOrigin(labels) ?? extractionOrigin(speakers);
}

function Note({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  );
}

type ListProps = {
  readonly title: string;
  readonly items: readonly SuggestionItem[];
  /** The current name of what the suggestion would name. */
  readonly of?: (item: SuggestionItem) => string | null;
  readonly editable: boolean;
  readonly disabled: boolean;
  readonly decide: Decide;
};

function List({ title, items, ...rest }: ListProps) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {items.map((item) => (
          <Item key={item.uuid} item={item} {...rest} />
        ))}
      </Stack>
    </section>
  );
}

function Item({ item, of, editable, disabled, decide }: Omit<ListProps, 'title' | 'items'> & { item: SuggestionItem }) {
  const { uuid, name, confidence, status } = item;
  const subject = of?.(item) ?? null;
  return (
    <li data-testid="suggestion" data-name={name} data-status={status}>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" style={{ flex: 1, overflowWrap: 'anywhere' }}>
          {subject !== null && status === 'pending' ? t`${subject} is ${name}` : name}
        </Text>
        <Text size="xs" c="dimmed" className="ot-tabular" style={{ whiteSpace: 'nowrap' }}>
          {status === 'pending' ? `${Math.round(confidence * 100)} %` : statusLabels[status]}
        </Text>
        {editable && (
          <Actions name={name} status={status} disabled={disabled} decide={(choice) => decide(choice, [uuid])} />
        )}
      </Group>
      <Rationale item={item} />
    </li>
  );
}

type ActionsProps = {
  readonly name: string;
  readonly status: SuggestionItem['status'];
  readonly disabled: boolean;
  readonly decide: (decision: Decision) => void;
};

function Actions({ name, status, disabled, decide }: ActionsProps) {
  const button = (decision: Decision, label: string, icon: 'check' | 'close' | 'back') => (
    <Tooltip label={label}>
      <ActionIcon
        className={css['small'] ?? ''}
        aria-label={`${label}: ${name}`}
        disabled={disabled}
        onClick={() => decide(decision)}
      >
        <Icon name={icon} size={15} />
      </ActionIcon>
    </Tooltip>
  );
  if (status === 'pending')
    return (
      <>
        {button('accept', t`Accept`, 'check')}
        {button('reject', t`Reject`, 'close')}
      </>
    );
  return status === 'undone' ? button('accept', t`Accept`, 'check') : button('undo', t`Undo`, 'back');
}

/** The words that show it, as a link to their second. */
function Rationale({ item: { rationale, start } }: { item: SuggestionItem }) {
  const { player } = useFile();
  if (rationale === '') return null;
  if (start === null) return <Note>{rationale}</Note>;
  return (
    <button
      type="button"
      className={css['rationale'] ?? ''}
      onClick={() => player.seek(start)}
      aria-label={t`Go to ${clock(start)}: ${rationale}`}
    >
      <span className="ot-tabular">{clock(start)}</span> {rationale}
    </button>
  );
}

function SuggestButton({ data: { labels, speakers } }: { data: Suggestions }) {
  const { file } = useFile();
  const client = useQueryClient();
  const order = useMutation({
    mutationFn: async () => {
      const request = { params: { uuid: file.uuid }, body: { force_regenerate: true } };
      await call('POST /api/topics/{uuid}/extract', request);
      await call('POST /api/files/{uuid}/identify-speakers', request);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['suggestions', file.uuid] }),
    onError: (error) => notifyError(t`Couldn’t ask for suggestions`, error),
  });
  const isFirst = labels.state === 'none' && speakers.state === 'none';
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={order.isPending}
      disabled={isBusy(labels) || isBusy(speakers) || file.total_segments === 0}
      onClick={() => order.mutate()}
    >
      {isFirst ? t`Suggest tags and names` : t`Suggest again`}
    </Button>
  );
}
