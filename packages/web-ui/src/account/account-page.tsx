import { Badge, Button, Group, Modal, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { call } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import type { Answer } from '../api/routes.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { sayError } from '../app/notify.ts';
import { session } from '../app/services.ts';
import { ago, moment } from '../lib/format.ts';
import { ChangePasswordForm } from '../session/change-password-form.tsx';
import { NameForm } from './name-form.tsx';
import { deviceOf } from './user-agent.ts';

export const AccountPage = () => {
  useDocumentTitle('Account · Overtone');
  const me = useQuery(meQuery).data;
  return (
    <div className="ot-page" style={{ maxWidth: '48rem' }}>
      <Title order={1} size="h2" mb="md">
        Account
      </Title>
      <Stack gap="lg">
        <Section title="You">{me && <NameForm me={me} />}</Section>
        {me?.auth_type === 'local' && (
          <Section title="Password">
            <ChangePasswordForm onDone={() => undefined} />
          </Section>
        )}
        <Section title="Sessions">
          <Sessions />
        </Section>
      </Stack>
    </div>
  );
};

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="ot-card" style={{ padding: '1.125rem 1.25rem 1.25rem' }}>
    <Title order={2} size="h4" mb="sm">
      {title}
    </Title>
    {children}
  </section>
);

const Sessions = () => {
  const [sure, setSure] = useState(false);
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => call('sessions', { signal }) });
  if (sessions.isError)
    return (
      <ErrorNote
        error={sessions.error}
        title="The sessions cannot be read just now"
        onRetry={() => void sessions.refetch()}
      />
    );
  if (sessions.isPending) return <Skeleton h={120} />;
  return (
    <Stack gap="sm">
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }} data-testid="sessions">
        {sessions.data.sessions.map((one) => (
          <SessionItem key={one.uuid} one={one} />
        ))}
      </Stack>
      <Group>
        <Button variant="default" onClick={() => setSure(true)}>
          Sign out everywhere
        </Button>
      </Group>
      <Modal opened={sure} onClose={() => setSure(false)} title={<b>Sign out everywhere?</b>}>
        <Text mb="md">Every session ends at once, on all devices, this one included.</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={() => setSure(false)}>
            Stay
          </Button>
          <Button
            color="red"
            onClick={() =>
              void session.signOut(true).catch((error: unknown) => sayError('Not every session could be ended', error))
            }
          >
            Sign out everywhere
          </Button>
        </Group>
      </Modal>
    </Stack>
  );
};

type Session = Answer<'sessions'>['sessions'][number];

const SessionItem = ({ one }: { one: Session }) => {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => call('endSession', { params: { uuid: one.uuid } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['sessions'] }),
    onError: (error) => sayError('The session was not ended', error),
  });
  return (
    <li>
      <Group justify="space-between" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {deviceOf(one.user_agent)}
            </Text>
            {one.current && (
              <Badge size="sm" variant="light">
                this one
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed" truncate title={moment(one.created_at)}>
            {[one.ip_address, `last used ${ago(one.last_used_at)}`, `since ${ago(one.created_at)}`]
              .filter((f) => f !== null)
              .join(' · ')}
          </Text>
        </div>
        {!one.current && (
          <Button
            size="xs"
            variant="default"
            loading={end.isPending}
            onClick={() => end.mutate()}
            aria-label={`End session on ${deviceOf(one.user_agent)}`}
          >
            End
          </Button>
        )}
      </Group>
    </li>
  );
};
