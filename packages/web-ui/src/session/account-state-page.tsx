import { Button, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { meQuery } from '../api/queries.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { Icon } from '../app/icons.tsx';
import { Wordmark } from '../app/logo.tsx';
import { session } from '../app/services.ts';
import { accountState, type AccountState } from './account-state.ts';
import css from './sign-in.module.css';

const words: Record<AccountState, { title: string; text: string }> = {
  account_pending_approval: {
    title: 'Your account waits for approval',
    text: 'An administrator has to release it before you can go on. This page opens Overtone by itself as soon as that is done.',
  },
  account_rejected: {
    title: 'Your account was not approved',
    text: 'An administrator decided against it. If you think that is a mistake, ask them.',
  },
  account_disabled: {
    title: 'Your account is disabled',
    text: 'An administrator or your directory has disabled it. Ask an administrator if you need it.',
  },
  account_expired: {
    title: 'Your account has expired',
    text: 'It was set up for a limited time. Ask an administrator to extend it.',
  },
};

/** Where somebody lands who is known, but may not go on. */
export const AccountStatePage = () => {
  useDocumentTitle('Your account · Overtone');
  const navigate = useNavigate();
  const me = useQuery({ ...meQuery, staleTime: 0, refetchInterval: 10_000 });
  const state = me.data ? accountState(me.data) : null;
  const free = me.data !== undefined && state === null;
  useEffect(() => {
    if (free) void navigate({ to: '/', replace: true });
  }, [free, navigate]);
  if (state === null || !me.data) return null;
  return (
    <main className={css['page']}>
      <section className={css['card']} aria-labelledby="state-title" data-testid="account-state" data-state={state}>
        <Wordmark />
        <div>
          <Icon name={state === 'account_pending_approval' ? 'clock' : 'alert'} size={32} />
          <Title order={1} size="h2" id="state-title" mt="xs">
            {words[state].title}
          </Title>
          <Text mt={4}>{words[state].text}</Text>
          <Text c="dimmed" size="sm" mt="sm">
            Signed in as {me.data.email}
          </Text>
        </div>
        {me.isError && <ErrorNote error={me.error} title="It cannot be asked just now" />}
        <Group>
          <Button variant="default" loading={me.isFetching} onClick={() => void me.refetch()}>
            Check again
          </Button>
          <Button variant="subtle" color="gray" onClick={() => void session.signOut().catch(() => undefined)}>
            Sign out
          </Button>
        </Group>
      </section>
    </main>
  );
};
