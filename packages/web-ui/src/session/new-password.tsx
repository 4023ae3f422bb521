import { plural, t } from '@lingui/core/macro';
import { Button, Group, PasswordInput, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { copyAndNotify } from '../ui/copy-text.ts';
import { Icon } from '../ui/icons.tsx';
import { generatePassword, meetsRules, rulesFor, type PasswordPolicy } from './password-policy.ts';
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
  /** The password of another person: it can be generated and copied, to be handed over. */
  readonly forOther?: boolean;
};

/** A field for a new password, with the rules of the policy and whether each is met. */
export function NewPassword({ value, onChange, label = t`New password`, error = null, forOther = false }: Props) {
  const policy = useQuery(policyQuery);
  const [isVisible, setVisible] = useState(false);
  const copy = (): void => void copyAndNotify(value, t`Password copied.`, t`The password couldn’t be copied`);
  return (
    <div>
      <PasswordInput
        label={label}
        autoComplete="new-password"
        required
        maxLength={128}
        value={value}
        error={error}
        visible={isVisible}
        onVisibilityChange={setVisible}
        aria-describedby="password-rules"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {forOther && (
        <Group gap="xs" mt="xs">
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              onChange(generatePassword(policy.data));
              setVisible(true);
            }}
          >
            {t`Generate a password`}
          </Button>
          <Button size="compact-sm" variant="default" disabled={value === ''} onClick={copy}>
            {t`Copy`}
          </Button>
        </Group>
      )}
      <div id="password-rules">
        {policy.data && <Rules policy={policy.data} password={value} forOther={forOther} />}
        {policy.isError && (
          <Text size="xs" c="dimmed" mt={4}>
            {t`The password rules couldn’t be loaded. They are checked when you save.`}
          </Text>
        )}
      </div>
    </div>
  );
}

type RulesProps = { readonly policy: PasswordPolicy; readonly password: string; readonly forOther: boolean };

function Rules({ policy, password, forOther }: RulesProps) {
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
          {forOther
            ? plural(policy.history_count, {
                other: 'Can’t be one of the person’s last # passwords or contain their name or e-mail address.',
              })
            : plural(policy.history_count, {
                other: 'Can’t be one of your last # passwords or contain your name or e-mail address.',
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
