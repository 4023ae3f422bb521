import { Alert, Code, Text } from '@mantine/core';
import { codeOf } from '../api/problem.ts';
import { Icon } from '../app/icons.tsx';
import { signInWords, type Way } from './sign-in-words.ts';

/** A sign-in that failed, in words, with its code. */
export const SignInError = ({ error, way }: { error: unknown; way: Way }) => {
  const { title, words } = signInWords(error, way);
  const code = codeOf(error);
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="alert" />} title={title}>
      <Text size="sm">{words}</Text>
      {code !== null && <Code fz="xs">{code}</Code>}
    </Alert>
  );
};
