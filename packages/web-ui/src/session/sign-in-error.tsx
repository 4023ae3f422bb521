import { Alert, Text } from '@mantine/core';
import { Icon } from '../ui/icons.tsx';
import { signInMessage, type SignInMethod } from './sign-in-messages.ts';

/** Explains a failed sign-in. */
export function SignInError({ error, method }: { error: unknown; method: SignInMethod }) {
  const { title, text } = signInMessage(error, method);
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="alert" />} title={title}>
      <Text size="sm">{text}</Text>
    </Alert>
  );
}
