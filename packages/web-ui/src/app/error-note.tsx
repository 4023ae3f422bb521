import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { codeOf, isOutage, wordsOf } from '../api/problem.ts';
import { Icon } from './icons.tsx';

type Props = {
  error: unknown;
  title?: string;
  /** One more sentence. */
  note?: string | null;
  onRetry?: () => void;
};
/** An API error with its words and code, and a way to try again where that makes sense. */
export const ErrorNote = ({ error, title, note = null, onRetry }: Props) => {
  const code = codeOf(error);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<Icon name={isOutage(error) ? 'plug' : 'alert'} />}
      title={title ?? (isOutage(error) ? 'Overtone is not responding' : 'Something went wrong')}
    >
      <Text size="sm">
        {wordsOf(error)} {note}
      </Text>
      <Group gap="sm" mt="xs">
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {code !== null && <Code fz="xs">{code}</Code>}
      </Group>
    </Alert>
  );
};
