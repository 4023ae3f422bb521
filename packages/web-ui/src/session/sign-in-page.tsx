import { Alert, Button, Code, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { codeOf } from '../api/problem.ts';
import { Icon } from '../app/icons.tsx';
import { Wordmark } from '../app/logo.tsx';
import { session } from '../app/services.ts';
import { signInWords } from './sign-in-words.ts';
import css from './sign-in.module.css';

export const SignInPage = () => {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => session.signIn(username.trim(), password),
    onSuccess: () => navigate({ href: next ?? '/', replace: true }),
  });
  return (
    <main className={css['page']}>
      <section className={css['card']} aria-labelledby="sign-in-title">
        <Wordmark />
        <div>
          <Title order={1} size="h2" id="sign-in-title">
            Sign in
          </Title>
          <Text c="dimmed" size="sm" mt={4}>
            Your recordings, read and found again.
          </Text>
        </div>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            signIn.mutate();
          }}
        >
          <Stack gap="md">
            <div aria-live="assertive">{signIn.error && <SignInError error={signIn.error} />}</div>
            <TextInput
              label="User name or e-mail address"
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              required
              withAsterisk={false}
              autoFocus
              size="md"
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              size="md"
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <Button type="submit" size="md" loading={signIn.isPending} fullWidth>
              Sign in
            </Button>
          </Stack>
        </form>
      </section>
      <Waves />
    </main>
  );
};

const SignInError = ({ error }: { error: unknown }) => {
  const { title, words } = signInWords(error);
  const code = codeOf(error);
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="alert" />} title={title}>
      <Text size="sm">{words}</Text>
      {code !== null && <Code fz="xs">{code}</Code>}
    </Alert>
  );
};

/** A tone and its overtones, behind everything; decoration. */
const Waves = () => (
  <svg className={css['waves']} viewBox="0 0 1200 300" preserveAspectRatio="none" aria-hidden="true">
    {[1, 2, 3, 4].map((n) => (
      <path key={n} d={wavePath(n)} fill="none" stroke="currentColor" strokeWidth={2.4 - n * 0.4} opacity={0.5 / n} />
    ))}
  </svg>
);
const wavePath = (harmonic: number): string => {
  const points = Array.from({ length: 121 }, (_, i) => {
    const x = i * 10;
    const y = 150 - (110 / harmonic) * Math.sin((x / 1200) * Math.PI * 2 * harmonic * 1.5);
    return `${x},${y.toFixed(1)}`;
  });
  return `M${points.join('L')}`;
};
