import { plural, t } from '@lingui/core/macro';
import { PasswordInput, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { Icon } from '../ui/icons.tsx';
import { meetsRules, rulesFor, type PasswordPolicy } from './password-policy.ts';
import css from './new-password.module.css';

const policyQuery = queryOptions({
  queryKey: ['public', 'password-policy'],
  queryFn: ({ signal }) => call('GET /api/auth/password-policy', { signal }),
  staleTime: 60_000,
});

type Props = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label?: string;
  readonly error?: string | null;
};

/** A field for a new password, with the rules of the policy and whether each is met. */
export function NewPassword({ value, onChange, label = t`New password`, error = null }: Props) {
  const policy = useQuery(policyQuery);
  return (
    <div>
      <PasswordInput
        label={label}
        autoComplete="new-password"
        required
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
            {t`The password rules couldn’t be loaded. They are checked when you save.`}
          </Text>
        )}
      </div>
    </div>
  );
}

function Rules({ policy, password }: { policy: PasswordPolicy; password: string }) {
  return (
    <>
      <ul className={css['rules']} aria-label={t`Password rules`}>
        {rulesFor(policy, password).map(({ label, isMet }) => (
          <li key={label} data-kept={isMet}>
            <Icon name={isMet ? 'check' : 'more'} size={14} />
            {label}
            <span className={css['hidden']}>, {isMet ? t`met` : t`not met`}</span>
          </li>
        ))}
      </ul>
      {policy.enabled && policy.history_count > 0 && (
        <Text size="xs" c="dimmed" mt={2}>
          {plural(policy.history_count, {
            other: 'Can’t be one of your last # passwords or contain your name or email.',
          })}
        </Text>
      )}
    </>
  );
}

/** True when the password meets every rule that can be checked in the browser. */
export function useIsPasswordAllowed(password: string): boolean {
  const policy = useQuery(policyQuery).data;
  return password !== '' && meetsRules(policy, password);
}
