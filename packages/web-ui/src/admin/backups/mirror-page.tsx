import type { MirrorSettings } from '@overtone/contracts';
import { valuesOf } from '../settings/items.ts';
import { t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { notifyError } from '../../ui/notify.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { CommandBlock } from './command-block.tsx';
import { mirrorSummaryOf, objectsText } from './labels.ts';
import { MirrorForm } from './mirror-form.tsx';
import { MirrorReport } from './mirror-report.tsx';
import { MirrorRunList } from './mirror-run-list.tsx';
import { isActive, mirrorRunsQuery, mirrorSettingsQuery, mirrorStatusQuery, stateOf } from './operations-queries.ts';
import { mirrorCommand } from './restore-commands.ts';
import { RunNow } from './run-now.tsx';

/** Administration > Media mirror: the current and past runs, settings, and the report of the last run. */
export function MirrorPage() {
  const settings = useQuery(mirrorSettingsQuery);
  return (
    <Pane title={t`Media mirror`}>
      <Stack gap="lg">
        <QueryStatus of={settings} failure={t`The media mirror couldn’t be loaded`} height={320} />
        {settings.data && (
          <>
            <Section title={t`Status`}>
              <CurrentMirrorRun />
            </Section>
            <Section title={t`Settings`}>
              <MirrorForm saved={settings.data} />
            </Section>
            <Section title={t`Report of the last run`}>
              <MirrorReport />
            </Section>
            <Section title={t`Runs`}>
              <MirrorRunList />
            </Section>
            <Section title={t`Restore`}>
              <MirrorInstructions settings={valuesOf<MirrorSettings>(settings.data.settings)} />
            </Section>
          </>
        )}
      </Stack>
    </Pane>
  );
}

function CurrentMirrorRun() {
  const client = useQueryClient();
  const runs = useQuery(mirrorRunsQuery(1));
  const newest = runs.data?.items[0];
  const status = useQuery({ ...mirrorStatusQuery(stateOf(newest)), enabled: runs.data !== undefined });
  const run = useMutation({
    mutationFn: () => call('POST /api/admin/media-mirror/run'),
    onSuccess: () => client.invalidateQueries({ queryKey: ['media-mirror', 'runs'] }),
    onError: (error) => notifyError(t`The run wasn’t started`, error),
  });
  const failure = t`The state of the media mirror couldn’t be loaded`;
  if (!status.data) return <QueryStatus of={runs.isError ? runs : status} failure={failure} />;
  const { last_run: last, objects } = status.data;
  return (
    <>
      <QueryStatus of={status} failure={failure} />
      <RunNow
        status={status.data}
        active={isActive(newest) ? newest : undefined}
        lastTitle={t`Last run`}
        lastSummary={last ? mirrorSummaryOf(last) : ''}
        noRuns={t`No runs yet.`}
        queue="download"
        problem={null}
        button={t`Run now`}
        pending={run.isPending}
        onRun={() => run.mutate()}
      >
        <Text size="sm">{objectsText(objects)}</Text>
      </RunNow>
    </>
  );
}

/** How recordings come back from the mirror: the command reads the place of the mirror from these settings. */
function MirrorInstructions({ settings }: { settings: MirrorSettings }) {
  const { destination_type: type, destination, s3_bucket: bucket } = settings;
  const runs = useQuery(mirrorRunsQuery(1));
  const status = useQuery({ ...mirrorStatusQuery(stateOf(runs.data?.items[0])), enabled: runs.data !== undefined });
  if ((type === 's3' ? bucket : destination) === '')
    return <Text size="sm">{t`The command appears here when there is a destination.`}</Text>;
  if (!status.data)
    return <QueryStatus of={runs.isError ? runs : status} failure={t`The command couldn’t be loaded`} height={60} />;
  return (
    <Stack gap="sm">
      <Text size="sm">
        {t`This command copies what is missing back to the object store and replaces nothing. Run it in a shell on the server, in the folder of Overtone:`}
      </Text>
      <CommandBlock
        lines={[mirrorCommand(status.data.data_folder)]}
        label={t`Copy the command that brings recordings back`}
      />
    </Stack>
  );
}
