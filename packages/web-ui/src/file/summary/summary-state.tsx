import { plural, t } from '@lingui/core/macro';
import { Alert, Button, Group, Loader, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { clock, soon } from '../../lib/format.ts';
import { useSummaryDraft } from '../../live/progress-store.ts';
import { CodeDetails } from '../../ui/error-note.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notifyError } from '../../ui/notify.ts';
import { useFile } from '../file-context.ts';
import { adviceText, reasonText } from './labels.ts';
import { SourceLink, type JumpTo } from './summary-body.tsx';
import { modelStatusQuery, type Summary, type SummaryStatus, type SummaryVersion } from './summary-queries.ts';
import css from './summary.module.css';

type StateProps = {
  readonly status: SummaryStatus;
  /** The version that the status is about. */
  readonly latest: SummaryVersion | undefined;
  readonly onCreate: () => void;
  readonly onShowLatest: () => void;
};

/** The state of the latest summary when there is something to say about it. */
export function SummaryState({ status, latest, onCreate, onShowLatest }: StateProps) {
  if (status.status === 'waiting') return <Waiting status={status} />;
  if (status.status === 'processing') return <Writing status={status} />;
  if (status.status === 'failed') return <Failed status={status} latest={latest} onCreate={onCreate} />;
  const isReplaced = status.status === 'partial' && status.shown_version !== status.version;
  return (
    <>
      {isReplaced && <NewerIncomplete status={status} onShowLatest={onShowLatest} />}
      <Changed status={status} onCreate={onCreate} />
    </>
  );
}

/** The complete summary stays until a newer one is complete. */
function NewerIncomplete({ status, onShowLatest }: Pick<StateProps, 'status' | 'onShowLatest'>) {
  return (
    <Alert variant="light" color="yellow" icon={<Icon name="info" />} data-testid="summary-newer-incomplete">
      <Text size="sm">{t`A newer summary is incomplete, so the earlier one stays here.`}</Text>
      <Button size="xs" variant="default" mt="xs" onClick={onShowLatest}>
        {t`Show the newer one`}
      </Button>
      <Actions status={status} />
    </Alert>
  );
}

function Waiting({ status: { reason, retry_at } }: { status: SummaryStatus }) {
  return (
    <Stack gap={4} data-testid="summary-waiting">
      <Group gap="xs" role="status">
        <Loader size="xs" type="dots" />
        <Text size="sm">
          {reason === null ? t`The summary is waiting for its turn.` : t`The summary is waiting for another attempt.`}
        </Text>
      </Group>
      {reason !== null && (
        <Text size="sm" c="dimmed">
          {reasonText(reason)} {retry_at === null ? '' : t`The next attempt is at ${soon(retry_at)}.`}
        </Text>
      )}
    </Stack>
  );
}

function Writing({ status }: { status: SummaryStatus }) {
  const { file } = useFile();
  const live = useSummaryDraft(file.uuid);
  const draft = live?.version === status.version ? live : null;
  const done = Math.max(status.sections_done, draft?.sectionsDone ?? 0);
  const total = Math.max(status.sections_total, draft?.sectionsTotal ?? 0);
  return (
    <Stack gap="xs" data-testid="summary-processing">
      <Text size="sm" role="status">
        {total > 1 ? t`The summary is being written: ${done} of ${total} parts` : t`The summary is being written`}
      </Text>
      <Progress
        value={total === 0 ? 5 : Math.max(5, (done / total) * 100)}
        size="sm"
        animated
        aria-label={t`Progress of the summary`}
      />
      {draft !== null && draft.text !== '' && (
        <div
          className={css['draft']}
          dir="auto"
          data-testid="summary-draft"
          tabIndex={0}
          role="region"
          aria-label={t`Draft`}
        >
          {draft.text}
        </div>
      )}
      {status.reason !== null && (
        <Text size="sm" c="dimmed">
          {reasonText(status.reason)} {adviceText(status.advice)}
        </Text>
      )}
    </Stack>
  );
}

function Failed({ status, latest, onCreate }: Omit<StateProps, 'onShowLatest'>) {
  const model = useQuery(modelStatusQuery).data;
  // A version that failed early does not name the language model.
  const provider = providerOf(latest) ?? (model?.available ? providerOf(model) : null);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<Icon name="alert" />}
      title={status.shown_version === null ? t`The summary failed` : t`The new summary failed`}
      data-testid="summary-failed"
    >
      <Text size="sm">
        {reasonText(status.reason)} {adviceText(status.advice)}
      </Text>
      {provider !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t`Language model: ${provider}`}
        </Text>
      )}
      <Actions status={status} onCreate={onCreate} />
    </Alert>
  );
}

/** The name of the provider and its model. */
export function providerOf(source: Pick<SummaryVersion, 'provider' | 'model'> | undefined): string | null {
  const parts = [source?.provider, source?.model].filter((part) => part !== null && part !== undefined);
  return parts.length === 0 ? null : parts.join(', ');
}

function Changed({ status, onCreate }: Pick<StateProps, 'status' | 'onCreate'>) {
  if (status.withheld)
    return (
      <Alert variant="light" color="yellow" icon={<Icon name="shield" />} data-testid="summary-withheld">
        <Text size="sm">
          {t`More is masked now than when the summary was made. It isn’t shown until it has been compared with the transcript.`}{' '}
          {status.can_generate ? t`You can create a new one.` : ''}
        </Text>
        <Actions status={status} onCreate={onCreate} />
      </Alert>
    );
  if (!status.out_of_date) return null;
  return (
    <Alert variant="light" color="yellow" icon={<Icon name="info" />} data-testid="summary-outdated">
      <Text size="sm">{t`The transcript was changed after this summary was made.`}</Text>
      <Actions status={status} onCreate={onCreate} />
    </Alert>
  );
}

type PartialProps = { readonly summary: Summary; readonly status: SummaryStatus; readonly onJump: JumpTo };

/** Which parts of the recording a summary does not cover. */
export function SummaryGaps({ summary: { coverage, error_code }, status, onJump }: PartialProps) {
  const { gaps } = coverage;
  const reason = error_code ?? gaps[0]?.reason ?? null;
  if (reason === null) return null;
  const missing = coverage.segments - coverage.covered_segments;
  return (
    <Alert
      variant="light"
      color="yellow"
      icon={<Icon name="alert" />}
      title={t`The summary is incomplete`}
      data-testid="summary-partial"
    >
      <Text size="sm">
        {gaps.length === 0
          ? t`Its parts are listed one after the other, because they couldn’t be combined.`
          : plural(missing, { one: '# passage is missing.', other: '# passages are missing.' })}{' '}
        {reasonText(reason)}
      </Text>
      {gaps.length > 0 && (
        <Text size="sm" component="ul" className={css['statements'] ?? ''}>
          {gaps.map(({ start, end }) => (
            <li key={start}>
              <SourceLink seconds={start} label={`${clock(start)}–${clock(end)}`} onJump={onJump} />
            </li>
          ))}
        </Text>
      )}
      <Actions status={status} />
    </Alert>
  );
}

function Actions({ status, onCreate }: { status: SummaryStatus; onCreate?: () => void }) {
  const { file } = useFile();
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => call('POST /api/files/{uuid}/retry-summary', { params: { uuid: file.uuid } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['summary', file.uuid] }),
    onError: (error) => notifyError(t`The summary wasn’t continued`, error),
  });
  const canCreate = status.can_generate && onCreate !== undefined;
  return (
    <Group gap="xs" mt={status.can_retry || canCreate ? 'xs' : 0}>
      {status.can_retry && (
        <Button size="xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
          {t`Try again`}
        </Button>
      )}
      {canCreate && (
        <Button size="xs" variant="default" onClick={onCreate}>
          {t`Create again`}
        </Button>
      )}
      {status.reason !== null && <CodeDetails code={status.reason} />}
    </Group>
  );
}
