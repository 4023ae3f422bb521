import { PasswordInput, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ask } from '../api/identity.ts';
import { Icon } from '../app/icons.tsx';
import { keepsRules, rulesFor, type PasswordPolicy } from './password-policy.ts';
import css from './new-password.module.css';

const policyQuery = queryOptions({
  queryKey: ['public', 'password-policy'],
  queryFn: ({ signal }) => ask('passwordPolicy', { signal }),
  staleTime: 60_000,
});

type Props = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label?: string;
  readonly error?: string | null;
};

/** A field for a new password, with the rules in force and which of them it keeps already. */
export const NewPassword = ({ value, onChange, label = 'New password', error = null }: Props) => {
  const policy = useQuery(policyQuery);
  return (
    <div>
      <PasswordInput
        label={label}
        autoComplete="new-password"
        required
        withAsterisk={false}
        maxLength={128}
        value={value}
        error={error}
        aria-describedby="password-rules"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div id="password-rules">
        {policy.data && <Rules policy={policy.data} password={value} />}
        {policy.isError && (
          <Text size="xs" c="dimmed" mt={4}>
            The rules for passwords cannot be read just now; they are checked when you save.
          </Text>
        )}
      </div>
    </div>
  );
};

const Rules = ({ policy, password }: { policy: PasswordPolicy; password: string }) => (
  <>
    <ul className={css['rules']} aria-label="What the password needs">
      {rulesFor(policy, password).map(({ words, kept }) => (
        <li key={words} data-kept={kept}>
          <Icon name={kept ? 'check' : 'more'} size={14} />
          {words}
          <span className={css['hidden']}>{kept ? ', done' : ', missing'}</span>
        </li>
      ))}
    </ul>
    {policy.enabled && policy.history_count > 0 && (
      <Text size="xs" c="dimmed" mt={2}>
        None of the last {policy.history_count} passwords, and no name or e-mail address in it.
      </Text>
    )}
  </>
);

/** True when nothing speaks against the password that can be judged here. */
export const usePasswordKeeps = (password: string): boolean => {
  const policy = useQuery(policyQuery).data;
  return password !== '' && keepsRules(policy, password);
};
