import { Button, Center, Code, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { codeOf, isOutage, wordsOf } from '../api/problem.ts';
import { Icon } from './icons.tsx';
import { LogoMark } from './logo.tsx';

export const PagePending = () => (
  <Center mih="60vh" role="status" aria-label="Loading">
    <Loader color="petrol" type="bars" size="sm" />
  </Center>
);

export const NotFoundPage = () => (
  <Center mih="80vh" p="md">
    <Stack align="center" gap="sm" maw={420} ta="center">
      <LogoMark size={44} />
      <Title order={1} size="h2">
        Nothing here
      </Title>
      <Text c="dimmed">This page does not exist, or what it showed has been deleted.</Text>
      <Button component={Link} to="/" mt="xs">
        Back to the library
      </Button>
    </Stack>
  </Center>
);

/** A page that could not be opened: says whether the platform or the request is at fault, and offers another try. */
export const OutagePage = ({ error }: { error: unknown }) => {
  const router = useRouter();
  return (
    <Center mih="70vh" p="md">
      <Stack align="center" gap="sm" maw={460} ta="center" role="alert">
        <Icon name={isOutage(error) ? 'plug' : 'alert'} size={40} />
        <Title order={1} size="h2">
          {isOutage(error) ? 'Overtone does not answer just now' : 'This did not work'}
        </Title>
        <Text c="dimmed">{wordsOf(error)}</Text>
        <ErrorCode error={error} />
        <Group mt="xs">
          <Button onClick={() => void router.invalidate()}>Try again</Button>
        </Group>
      </Stack>
    </Center>
  );
};

export const ErrorCode = ({ error }: { error: unknown }) => {
  const code = codeOf(error);
  return code === null ? null : <Code fz="xs">{code}</Code>;
};
