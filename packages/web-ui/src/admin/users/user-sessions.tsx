import { plural, t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { SessionList } from '../../ui/session-list.tsx';
import { nameOf, type Account } from '../../ui/account-labels.ts';
import { userSessionsQuery } from './user-queries.ts';

/** The sessions of an account, and the buttons that end them. */
export function UserSessions({ account, mayEnd }: { account: Account; mayEnd: boolean }) {
  const client = useQueryClient();
  const query = userSessionsQuery(account.uuid);
  const sessions = useQuery({ ...query, enabled: mayEnd });
  const [confirming, setConfirming] = useState(false);
  const refresh = (): void => void client.invalidateQueries({ queryKey: query.queryKey });
  const end = useMutation({
    mutationFn: (session_uuid: string) =>
      call('DELETE /api/admin/users/{uuid}/sessions/{session_uuid}', { params: { uuid: account.uuid, session_uuid } }),
    onSuccess: refresh,
    onError: (error) => notifyError(t`The session wasn’t ended`, error),
  });
  const endAll = async (): Promise<void> => {
    const { sessions_terminated: count } = await call('DELETE /api/admin/users/{uuid}/sessions', {
      params: { uuid: account.uuid },
    });
    notify(t`${plural(count, { one: '# session', other: '# sessions' })} ended.`);
  };
  if (!mayEnd)
    return (
      <Text size="sm" c="dimmed">
        {t`You can’t view these sessions.`}
      </Text>
    );
  if (!sessions.data) return <QueryStatus of={sessions} failure={t`The sessions couldn’t be loaded`} height={60} />;
  if (sessions.data.total === 0)
    return (
      <Text size="sm" c="dimmed">
        {t`No active sessions.`}
      </Text>
    );
  return (
    <Stack gap="md">
      <SessionList
        sessions={sessions.data.sessions}
        ending={end.isPending ? end.variables : null}
        onEnd={({ uuid }) => end.mutate(uuid)}
      />
      <Group>
        <Button variant="default" onClick={() => setConfirming(true)}>
          {t`End all sessions`}
        </Button>
      </Group>
      {confirming && (
        <Confirm
          title={t`End all sessions?`}
          action={t`End all`}
          run={endAll}
          onDone={refresh}
          onClose={() => setConfirming(false)}
        >
          <Text>{t`${nameOf(account)} is signed out everywhere immediately.`}</Text>
        </Confirm>
      )}
    </Stack>
  );
}
