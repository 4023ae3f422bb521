import { t } from '@lingui/core/macro';
import { PasswordInput, Switch } from '@mantine/core';
import type { Secrets } from './changes.ts';

type Props = {
  readonly form: {
    readonly secrets: Secrets;
    readonly changeSecret: (name: string, value: string | null) => void;
    readonly errorOf: (field: string) => string | null;
  };
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly isSet: boolean;
  readonly mayDelete: boolean;
  /** What an empty field means while a value is stored. */
  readonly storedHint?: string;
};

/** A stored secret is never shown: an empty field keeps it, and a switch deletes it. */
export function SecretField({
  form,
  name,
  label,
  description,
  isSet,
  mayDelete,
  storedHint = t`Configured. Leave blank to keep.`,
}: Props) {
  const value = form.secrets[name];
  const isDeleted = value === null;
  return (
    <div data-testid="secret" data-name={name}>
      <PasswordInput
        label={label}
        description={description}
        error={form.errorOf(name)}
        autoComplete="new-password"
        placeholder={isDeleted ? t`Will be deleted` : isSet ? storedHint : t`Not set`}
        disabled={isDeleted}
        maxLength={1024}
        value={value ?? ''}
        onChange={(event) => form.changeSecret(name, event.currentTarget.value)}
      />
      {isSet && (mayDelete || isDeleted) && (
        <Switch
          mt={6}
          size="xs"
          label={t`Delete stored value: ${label}`}
          checked={isDeleted}
          onChange={(event) => form.changeSecret(name, event.currentTarget.checked ? null : '')}
        />
      )}
    </div>
  );
}
