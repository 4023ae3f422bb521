import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/identity.ts';
import { say, sayError } from '../../app/notify.ts';
import { plural } from '../../lib/format.ts';
import { Confirm, Waiting } from '../parts.tsx';
import { SessionList } from '../session-list.tsx';
import { nameOf, type Account } from '../words.ts';
import { userSessionsQuery } from './user-queries.ts';

/** Where somebody is signed in, and the end of it. */
export const UserSessions = ({ account, mayEnd }: { account: Account; mayEnd: boolean }) => {
  const client = useQueryClient();
  const query = userSessionsQuery(account.uuid);
  const sessions = useQuery({ ...query, enabled: mayEnd });
  const [sure, setSure] = useState(false);
  const refresh = (): void => void client.invalidateQueries({ queryKey: query.queryKey });
  const end = useMutation({
    mutationFn: (session_uuid: string) => ask('endUserSession', { params: { uuid: account.uuid, session_uuid } }),
    onSuccess: refresh,
    onError: (error) => sayError('The session was not ended', error),
  });
  const endAll = async (): Promise<void> => {
    const { sessions_terminated: n } = await ask('endUserSessions', { params: { uuid: account.uuid } });
    say(`${plural(n, 'session')} ended.`);
  };
  if (!mayEnd)
    return (
      <Text size="sm" c="dimmed">
        Out of your reach.
      </Text>
    );
  if (!sessions.data) return <Waiting of={sessions} what="The sessions" height={60} />;
  if (sessions.data.total === 0)
    return (
      <Text size="sm" c="dimmed">
        Signed in nowhere.
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
        <Button variant="default" onClick={() => setSure(true)}>
          End all sessions
        </Button>
      </Group>
      {sure && (
        <Confirm
          title="End all sessions?"
          action="End all"
          run={endAll}
          onDone={refresh}
          onClose={() => setSure(false)}
        >
          <Text>{nameOf(account)} is signed out everywhere at once.</Text>
        </Confirm>
      )}
    </Stack>
  );
};
