import { Anchor, Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../api/identity.ts';
import { fieldOf } from '../api/problem.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { methodsQuery } from './methods.ts';
import { NewPassword, usePasswordKeeps } from './new-password.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

export const RegisterPage = () => {
  useDocumentTitle('Register · Overtone');
  const methods = useQuery(methodsQuery);
  return (
    <SignInFrame title="Register" text="An account of your own for this Overtone.">
      {methods.isError && <ErrorNote error={methods.error} onRetry={() => void methods.refetch()} />}
      {methods.isPending && <Skeleton h={220} />}
      {methods.data?.allow_registration === false && (
        <Text size="sm" role="status">
          Nobody can register here. Ask an administrator for an account.
        </Text>
      )}
      {methods.data?.allow_registration === true && <RegisterForm />}
      <Text size="sm" ta="center">
        <Anchor component={Link} to="/sign-in" underline="always">
          Back to sign-in
        </Anchor>
      </Text>
    </SignInFrame>
  );
};

const RegisterForm = () => {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const keeps = usePasswordKeeps(password);
  const register = useMutation({
    mutationFn: () =>
      ask('register', {
        body: { email: email.trim(), password, ...(name.trim() === '' ? {} : { full_name: name.trim() }) },
      }),
  });
  if (register.data) {
    return (
      <Text role="status" data-testid="registered">
        {register.data.message}
      </Text>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        register.mutate();
      }}
    >
      <Stack gap="md">
        {register.error && <ErrorNote error={register.error} title="You could not be registered" />}
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="email"
          required
          withAsterisk={false}
          maxLength={320}
          value={email}
          error={fieldOf(register.error, 'email')}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextInput
          label="Name"
          autoComplete="name"
          maxLength={200}
          value={name}
          error={fieldOf(register.error, 'full_name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NewPassword
          label="Password"
          value={password}
          error={fieldOf(register.error, 'password')}
          onChange={setPassword}
        />
        <Button type="submit" size="md" loading={register.isPending} disabled={!keeps || email.trim() === ''}>
          Register
        </Button>
      </Stack>
    </form>
  );
};
