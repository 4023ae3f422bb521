import { Button, Text, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Wordmark } from '../app/logo.tsx';
import { session } from '../app/services.ts';
import { ChangePasswordForm } from './change-password-form.tsx';
import css from './sign-in.module.css';

/** Where somebody lands whose password must be changed before anything else. */
export const ChangePasswordPage = () => {
  const navigate = useNavigate();
  return (
    <main className={css['page']}>
      <section className={css['card']}>
        <Wordmark />
        <div>
          <Title order={1} size="h2">
            Choose your own password
          </Title>
          <Text c="dimmed" size="sm" mt={4}>
            The one you signed in with was given to you. Change it to go on.
          </Text>
        </div>
        <ChangePasswordForm onDone={() => void navigate({ to: '/', replace: true })} />
        <Button variant="subtle" color="gray" size="xs" onClick={() => void session.signOut()}>
          Sign out instead
        </Button>
      </section>
    </main>
  );
};
