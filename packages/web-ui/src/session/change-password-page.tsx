import { t } from '@lingui/core/macro';
import { Button, Text, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Wordmark } from '../ui/logo.tsx';
import { session } from '../state/services.ts';
import { ChangePasswordForm } from './change-password-form.tsx';
import css from './sign-in.module.css';

/** The page of a user who must change the password before anything else. */
export function ChangePasswordPage() {
  const navigate = useNavigate();
  const { next } = useSearch({ strict: false });
  return (
    <main className={css['page']}>
      <section className={css['card']}>
        <Wordmark />
        <div>
          <Title order={1} size="h2">
            {t`Choose your own password`}
          </Title>
          <Text c="dimmed" size="sm" mt={4}>
            {t`The password you signed in with was set by an administrator. Change it to continue.`}
          </Text>
        </div>
        {/* Saved, but the fields are still filled until the next render. */}
        <ChangePasswordForm onDone={() => void navigate({ href: next ?? '/', replace: true, ignoreBlocker: true })} />
        <Button variant="subtle" color="gray" size="xs" onClick={() => void session.signOut()}>
          {t`Sign out instead`}
        </Button>
      </section>
    </main>
  );
}
