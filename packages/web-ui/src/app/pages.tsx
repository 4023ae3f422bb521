import { t } from '@lingui/core/macro';
import { Button, Center, Code, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, type FunctionComponent } from 'react';
import { codeOf, isOutage, messageOf } from '../api/problem.ts';
import { Icon } from '../ui/icons.tsx';
import { retryFailedPages } from './lazy-page.tsx';
import { push } from '../state/services.ts';

export function PagePending() {
  return (
    <Center mih="60vh" role="status" aria-label={t`Loading`}>
      <Loader color="petrol" type="bars" size="sm" />
    </Center>
  );
}

/** Makes a page the main landmark; pages inside the shell are in its landmark. */
export function asMain<P extends object>(Page: FunctionComponent<P>): FunctionComponent<P> {
  const MainPage = (props: P) => (
    <main>
      <Page {...props} />
    </main>
  );
  return MainPage;
}

/** A page that failed to load, because of the platform or of the request, with a retry button. */
export function OutagePage({ error }: { error: unknown }) {
  const router = useRouter();
  const retry = useCallback(async () => {
    await retryFailedPages();
    await router.invalidate();
  }, [router]);
  useReconnect(isOutage(error), retry);
  return (
    <Center mih="70vh" p="md">
      <Stack align="center" gap="sm" maw={460} ta="center" role="alert">
        <Icon name={isOutage(error) ? 'plug' : 'alert'} size={40} />
        <Title order={1} size="h2">
          {isOutage(error) ? t`Overtone is not responding` : t`Something went wrong`}
        </Title>
        <Text c="dimmed">{messageOf(error)}</Text>
        <ErrorCode error={error} />
        <Group mt="xs">
          <Button onClick={() => void retry()}>{t`Try again`}</Button>
        </Group>
      </Stack>
    </Center>
  );
}

/** Runs when the browser or the push channel is connected again. */
function useReconnect(enabled: boolean, run: () => Promise<void>): void {
  return useEffect(() => {
    if (!enabled) return undefined;
    const retry = (): void => void run();
    window.addEventListener('online', retry);
    const unsubscribe = push.state.subscribe(() => push.state.get() === 'open' && retry());
    return () => {
      window.removeEventListener('online', retry);
      unsubscribe();
    };
  }, [enabled, run]);
}

function ErrorCode({ error }: { error: unknown }) {
  const code = codeOf(error);
  return code === null ? null : <Code fz="xs">{code}</Code>;
}
