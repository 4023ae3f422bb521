import { t } from '@lingui/core/macro';
import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LogoMark } from './logo.tsx';

export function NotFoundPage() {
  return <GonePage title={t`Page not found`} text={t`This page doesn’t exist. It may have been deleted.`} />;
}

type Props = { readonly title: string; readonly text: string; readonly children?: ReactNode };

/** In place of what cannot be read, or can no longer be read. */
export function GonePage({ title, text, children }: Props) {
  return (
    <Center mih="80vh" p="md">
      <Stack align="center" gap="sm" maw={420} ta="center">
        <LogoMark size={44} />
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <Text c="dimmed">{text}</Text>
        {children}
        <Button component={Link} to="/" mt="xs">
          {t`Back to the library`}
        </Button>
      </Stack>
    </Center>
  );
}
