import { msg, plural, t } from '@lingui/core/macro';
import { Badge, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { assertNever } from '../lib/assert-never.ts';
import { duration } from '../lib/format.ts';
import { translateOnRead } from '../lib/language.ts';
import { Confirm } from '../ui/confirm.tsx';
import { notifyError } from '../ui/notify.ts';
import { QueryStatus } from '../ui/query-status.tsx';
import { speakerIndexQuery, StoredVoices, type SpeakerIndexState as Index } from './stored-voices.tsx';

type Version = Index['versions'][number];
type Change = { action: 'migrate' | 'switch' | 'drop'; version: Version['name'] } | { action: 'stop' | 'retry' };

const stateLabels: Record<Version['state'], string> = translateOnRead({
  current: msg`in use`,
  building: msg`being filled`,
  complete: msg`kept for rollback`,
  absent: msg`not built`,
});

/** The versions of the speaker index, and the migration from one to another. */
export function SpeakerIndex() {
  const client = useQueryClient();
  const index = useQuery(speakerIndexQuery);
  const change = useMutation({
    mutationFn: send,
    onSuccess: (answer) => client.setQueryData(speakerIndexQuery.queryKey, answer),
    // The question shows the error itself.
    onError: (error, { action }) => action === 'drop' || notifyError(t`The speaker index wasn’t changed`, error),
  });
  const [dropping, setDropping] = useState<Version | null>(null);
  if (!index.data) return <QueryStatus of={index} failure={t`The speaker index couldn’t be loaded`} height={120} />;
  const { enabled, versions, migration, failures } = index.data;
  const failed = Math.max(index.data.failed_files, migration?.failed_files ?? 0);
  if (!enabled) return <Text size="sm" c="dimmed">{t`Recognising voices across recordings is switched off.`}</Text>;
  return (
    <Stack gap="sm" data-testid="speaker-index">
      <StoredVoices />
      {failures.map(({ reason, files }) => (
        <Text key={reason} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {plural(files, { one: `# recording: ${reason}`, other: `# recordings: ${reason}` })}
        </Text>
      ))}
      {failed > 0 && (
        <Button
          size="compact-sm"
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          loading={change.isPending && change.variables.action === 'retry'}
          disabled={change.isPending}
          onClick={() => change.mutate({ action: 'retry' })}
        >
          {plural(failed, { one: 'Try the failed recording again', other: 'Try all # failed recordings again' })}
        </Button>
      )}
      {migration && (
        <div>
          <Text size="sm" aria-live="polite">
            {migrationText(migration)}
          </Text>
          <Progress
            aria-label={t`Migration of the speaker index`}
            value={(migration.done_files / Math.max(1, migration.total_files)) * 100}
          />
        </div>
      )}
      <ul className="ot-list">
        {versions.map((version) => {
          const { name, dimension, needs, state, speakers } = version;
          return (
            <li key={name} data-testid="speaker-version" data-state={state}>
              <Group p="xs" gap="sm" justify="space-between">
                <Text size="sm">
                  {needs === null
                    ? t`${name}, ${dimension} dimensions`
                    : t`${name}, ${dimension} dimensions, by the model ${needs}`}
                  {state !== 'absent' && ` · ${plural(speakers, { one: '# speaker', other: '# speakers' })}`}{' '}
                  <Badge size="sm" variant="light" color={state === 'current' ? 'petrol' : 'gray'} tt="none">
                    {stateLabels[state]}
                  </Badge>
                </Text>
                <Group gap={4}>
                  {state === 'absent' && !migration && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      disabled={change.isPending}
                      onClick={() => change.mutate({ action: 'migrate', version: name })}
                    >
                      {t`Migrate to ${name}`}
                    </Button>
                  )}
                  {state === 'building' && migration?.state === 'running' && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      disabled={change.isPending}
                      onClick={() => change.mutate({ action: 'stop' })}
                    >
                      {t`Stop the migration`}
                    </Button>
                  )}
                  {state === 'building' && migration?.state === 'stopped' && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      disabled={change.isPending}
                      onClick={() => change.mutate({ action: 'migrate', version: name })}
                    >
                      {t`Continue the migration`}
                    </Button>
                  )}
                  {state === 'complete' && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      disabled={change.isPending}
                      onClick={() => change.mutate({ action: 'switch', version: name })}
                    >
                      {t`Use ${name}`}
                    </Button>
                  )}
                  {(state === 'complete' || migration?.state === 'stopped') &&
                    state !== 'current' &&
                    state !== 'absent' && (
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        color="red"
                        disabled={change.isPending}
                        onClick={() => setDropping(version)}
                      >
                        {t`Delete ${name}`}
                      </Button>
                    )}
                </Group>
              </Group>
            </li>
          );
        })}
      </ul>
      {!migration && versions.some(({ state }) => state === 'absent') && (
        <Text size="sm" c="dimmed">
          {t`A migration processes all voices again with another model. When it is complete, its version is used automatically, and the present one is kept for rollback.`}
        </Text>
      )}
      {dropping && (
        <Confirm
          title={t`Delete version ${dropping.name}?`}
          action={t`Delete`}
          run={() => change.mutateAsync({ action: 'drop', version: dropping.name })}
          onDone={() => undefined}
          onClose={() => setDropping(null)}
        >
          <Text size="sm">
            {dropping.state === 'complete'
              ? t`This version is the only way back from the version in use. To use it again, all voices must be processed again.`
              : t`What was processed for this version is deleted.`}
          </Text>
        </Confirm>
      )}
    </Stack>
  );
}

function send(change: Change): Promise<Index> {
  switch (change.action) {
    case 'migrate':
      return call('POST /api/search/speaker-index/migration', { body: { version: change.version } });
    case 'stop':
      return call('POST /api/search/speaker-index/migration/stop');
    case 'retry':
      return call('POST /api/search/speaker-index/retry');
    case 'switch':
      return call('PUT /api/search/speaker-index/alias', { body: { version: change.version } });
    case 'drop':
      return call('DELETE /api/search/speaker-index/versions/{version}', { params: { version: change.version } });
    default:
      return assertNever(change);
  }
}

function migrationText(migration: NonNullable<Index['migration']>): string {
  const { target, state, done_files: done, total_files: total, failed_files: failed, seconds_left: left } = migration;
  const counted = t`${done} of ${plural(total, { one: '# recording', other: '# recordings' })} in ${target}`;
  const failures = failed > 0 ? t`${counted}, ${failed} failed` : counted;
  if (state === 'stopped') return t`Stopped: ${failures}`;
  return left === null ? t`Migrating: ${failures}` : t`Migrating: ${failures}, about ${duration(left)} left`;
}
