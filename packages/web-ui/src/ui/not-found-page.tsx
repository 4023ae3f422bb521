import { t } from '@lingui/core/macro';
import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { LogoMark } from './logo.tsx';

export function NotFoundPage() {
  return (
    <Center mih="80vh" p="md">
      <Stack align="center" gap="sm" maw={420} ta="center">
        <LogoMark size={44} />
        <Title order={1} size="h2">
          {t`Page not found`}
        </Title>
        <Text c="dimmed">{t`This page doesn’t exist. It may have been deleted.`}</Text>
        <Button component={Link} to="/" mt="xs">
          {t`Back to the library`}
        </Button>
      </Stack>
    </Center>
  );
}
