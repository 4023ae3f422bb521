import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { isInProgress } from '../../library/status.ts';
import { push } from '../../state/services.ts';
import { QueryStatus } from '../../ui/query-status.tsx';
import { useFile } from '../file-context.ts';
import { SummaryBody, type JumpTo } from './summary-body.tsx';
import { SummaryDialog } from './summary-dialog.tsx';
import {
  isRunning,
  summaryQuery,
  summaryStatusQuery,
  summaryVersionsQuery,
  type SummaryStatus,
} from './summary-queries.ts';
import { SummaryGaps, SummaryState } from './summary-state.tsx';
import { SummaryTools } from './summary-tools.tsx';

type Props = { readonly onJump: JumpTo };

/** The summary of a recording, its state, and its earlier versions. */
export function SummaryPanel({ onJump }: Props) {
  const { file } = useFile();
  const [ordering, setOrdering] = useState(false);
  const connected = useSyncExternalStore(push.state.subscribe, push.state.get) === 'open';
  const status = useQuery({
    ...summaryStatusQuery(file.uuid),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? (connected ? 15_000 : 3_000) : false),
  });
  if (!status.data) return <QueryStatus of={status} failure={t`The summary couldn’t be loaded`} height={120} />;
  const create = (): void => setOrdering(true);
  return (
    <Stack gap="sm" data-testid="summary" data-status={status.data.status}>
      {status.data.status === 'none' ? (
        <NoSummary status={status.data} onCreate={create} />
      ) : (
        <Versions status={status.data} onJump={onJump} onCreate={create} />
      )}
      {ordering && <SummaryDialog onClose={() => setOrdering(false)} />}
    </Stack>
  );
}

function NoSummary({ status, onCreate }: { status: SummaryStatus; onCreate: () => void }) {
  const { file } = useFile();
  if (file.total_segments === 0)
    return (
      <Text size="sm" c="dimmed" data-testid="summary-none">
        {isInProgress(file)
          ? t`The summary will appear here when the transcript is ready.`
          : t`There is no transcript.`}
      </Text>
    );
  return (
    <>
      <Text size="sm" c="dimmed" data-testid="summary-none">
        {t`There is no summary yet.`}
      </Text>
      {status.can_generate && (
        <Group>
          <Button size="xs" onClick={onCreate}>
            {t`Create summary`}
          </Button>
        </Group>
      )}
    </>
  );
}

type VersionsProps = Props & { readonly status: SummaryStatus; readonly onCreate: () => void };

function Versions({ status, onJump, onCreate }: VersionsProps) {
  const { file } = useFile();
  const [chosen, setChosen] = useState<{ version: number; latest: number | null } | null>(null);
  const versions = useQuery(summaryVersionsQuery(file.uuid)).data?.items ?? [];
  // A choice ends when a newer version is shown.
  const picked =
    chosen?.latest === status.shown_version ? versions.find((item) => item.version === chosen?.version) : undefined;
  const version = picked?.version ?? status.shown_version;
  const latest = versions.find((item) => item.version === status.version);
  return (
    <>
      <SummaryState
        status={status}
        latest={latest}
        onCreate={onCreate}
        onShowLatest={() =>
          status.version !== null && setChosen({ version: status.version, latest: status.shown_version })
        }
      />
      {version !== null && !(picked?.withheld ?? status.withheld) && (
        <Shown
          key={version}
          version={version}
          status={status}
          versions={versions}
          onVersion={(next) => setChosen({ version: next, latest: status.shown_version })}
          onJump={onJump}
          onCreate={onCreate}
        />
      )}
    </>
  );
}

type ShownProps = VersionsProps & {
  readonly version: number;
  readonly versions: Parameters<typeof SummaryTools>[0]['versions'];
  readonly onVersion: (version: number) => void;
};

function Shown({ version, status, versions, onVersion, onJump, onCreate }: ShownProps) {
  const { file } = useFile();
  const summary = useQuery(summaryQuery(file.uuid, version));
  if (!summary.data) return <QueryStatus of={summary} failure={t`The summary couldn’t be loaded`} height={120} />;
  return (
    <>
      {summary.isError && <QueryStatus of={summary} failure={t`The summary couldn’t be loaded again`} />}
      <SummaryTools
        summary={summary.data}
        status={status}
        versions={versions}
        onVersion={onVersion}
        onCreate={onCreate}
      />
      <SummaryGaps summary={summary.data} status={status} onJump={onJump} />
      <SummaryBody summary={summary.data.summary} onJump={onJump} />
    </>
  );
}
