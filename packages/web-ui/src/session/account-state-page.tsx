import { msg, t } from '@lingui/core/macro';
import { Button, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { translateOnRead } from '../lib/language.ts';
import { meQuery } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { Wordmark } from '../ui/logo.tsx';
import { session } from '../state/services.ts';
import { accountState, type AccountState } from './account-state.ts';
import css from './sign-in.module.css';

const texts: Record<AccountState, { title: string; text: string }> = translateOnRead({
  account_pending_approval: {
    title: msg`Your account is awaiting approval`,
    text: msg`An administrator has to approve it first. This page opens Overtone automatically after that.`,
  },
  account_rejected: {
    title: msg`Your account wasn’t approved`,
    text: msg`If you think this is a mistake, contact an administrator.`,
  },
  account_disabled: {
    title: msg`Your account is disabled`,
    text: msg`An administrator or your directory has disabled it. Contact an administrator if you need it.`,
  },
  account_expired: {
    title: msg`Your account has expired`,
    text: msg`It was set up for a limited time. Ask an administrator to extend it.`,
  },
});

/** The page of a signed-in user whose account may not be used. */
export function AccountStatePage() {
  useDocumentTitle(t`Your account · Overtone`);
  const navigate = useNavigate();
  const { next = '/' } = useSearch({ strict: false });
  const me = useQuery({ ...meQuery, staleTime: 0, refetchInterval: 10_000 });
  const state = me.data ? accountState(me.data) : null;
  const isUsable = me.data !== undefined && state === null;
  useEffect(() => {
    if (isUsable) void navigate({ href: next, replace: true });
  }, [isUsable, navigate, next]);
  if (state === null || !me.data) return null;
  return (
    <main className={css['page']}>
      <section className={css['card']} aria-labelledby="state-title" data-testid="account-state" data-state={state}>
        <Wordmark />
        <div>
          <Icon name={state === 'account_pending_approval' ? 'clock' : 'alert'} size={32} />
          <Title order={1} size="h2" id="state-title" mt="xs">
            {texts[state].title}
          </Title>
          <Text mt={4}>{texts[state].text}</Text>
          <Text c="dimmed" size="sm" mt="sm">
            {t`Signed in as ${me.data.email}`}
          </Text>
        </div>
        {me.isError && <ErrorNote error={me.error} title={t`The account couldn’t be loaded`} />}
        <Group>
          <Button variant="default" loading={me.isFetching} onClick={() => void me.refetch()}>
            {t`Check again`}
          </Button>
          <Button variant="subtle" color="gray" onClick={() => void session.signOut().catch(() => undefined)}>
            {t`Sign out`}
          </Button>
        </Group>
      </section>
    </main>
  );
}
