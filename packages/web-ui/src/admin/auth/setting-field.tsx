import { t } from '@lingui/core/macro';
import { Badge, Button, NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import css from './auth.module.css';
import { mustReenterSecret, canReset, shownValue, type ConfigItem, type Edits, type Value } from './draft.ts';
import { choiceLabels, type FieldKind } from './layout.ts';
import { ListField } from './list-field.tsx';

type Props = {
  readonly item: ConfigItem;
  readonly label: string;
  readonly kind: FieldKind;
  readonly edits: Edits;
  readonly error: string | null;
  readonly onChange: (key: string, value: Value) => void;
};

/** One setting: its control, the origin of its value, and the button that resets it. */
export function SettingField(props: Props) {
  const { item, label, edits, onChange } = props;
  return (
    <div className={css['field']} data-testid="setting" data-key={item.config_key}>
      <Control {...props} />
      {canReset(item, edits) && item.data_type !== 'boolean' && (
        <Button
          className={css['reset'] ?? ''}
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-label={t`Use default: ${label}`}
          onClick={() => onChange(item.config_key, null)}
        >
          {t`Use default`}
        </Button>
      )}
      <Origin item={item} />
    </div>
  );
}

function Origin({ item }: { item: ConfigItem }) {
  if (item.origin === 'unreadable')
    return (
      <Badge mt={6} color="red" variant="light">
        {t`The stored value can’t be read. Set it again.`}
      </Badge>
    );
  return item.origin === 'environment' ? (
    <Badge mt={6} color="gray" variant="light">
      {t`from the environment`}
    </Badge>
  ) : null;
}

function Control({ item, label, kind, edits, error, onChange }: Props) {
  const key = item.config_key;
  const value = shownValue(item, edits);
  const text = value === null ? '' : String(value);
  const set = (next: Value): void => onChange(key, next);
  // Some descriptions only repeat the label.
  const description = item.description === label ? undefined : item.description;
  const common = { label, description, error };
  if (item.data_type === 'boolean')
    return <Switch {...common} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
  if (item.data_type === 'integer')
    return (
      <NumberInput
        {...common}
        description={t`${item.description}. ${item.minimum ?? ''} to ${item.maximum ?? ''}`}
        value={text === '' ? '' : Number(text)}
        // A value out of range is reported, not corrected silently.
        clampBehavior="none"
        allowDecimal={false}
        styles={{ wrapper: { maxWidth: 200 } }}
        onChange={set}
      />
    );
  if (item.is_sensitive)
    return <SecretField item={item} label={label} edits={edits} error={error} onChange={onChange} />;
  if (item.choices)
    return (
      <Select
        {...common}
        data={item.choices.map((choice) => ({ value: choice, label: choiceLabels[choice] ?? choice }))}
        value={text}
        allowDeselect={false}
        maw={320}
        onChange={(next) => next !== null && set(next)}
      />
    );
  if (kind === 'dns' || kind === 'words' || kind === 'addresses')
    return (
      <ListField {...common} settingKey={key} description={item.description} kind={kind} value={text} onChange={set} />
    );
  if (kind === 'pem')
    return (
      <Textarea
        {...common}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        placeholder="-----BEGIN"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
        value={text}
        onChange={(event) => set(event.currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...common}
      value={text}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

/** A stored secret is never shown: an empty field keeps it, and a switch deletes it. */
function SecretField({ item, label, edits, error, onChange }: Omit<Props, 'kind'>) {
  const key = item.config_key;
  const isDeleted = edits[`${key}_clear`] === true;
  const mustReenter = mustReenterSecret(item, edits);
  const storedHint = mustReenter ? t`Enter it again` : t`Configured. Leave blank to keep.`;
  return (
    <>
      <PasswordInput
        label={label}
        description={
          mustReenter
            ? t`The stored value is only sent to the stored server, port, encryption and name.`
            : item.description
        }
        error={error}
        autoComplete="new-password"
        placeholder={isDeleted ? t`Will be deleted` : item.is_set ? storedHint : t`Not set`}
        disabled={isDeleted}
        value={String(shownValue(item, edits) ?? '')}
        onChange={(event) => onChange(key, event.currentTarget.value)}
      />
      {item.is_set && (
        <Switch
          mt={6}
          size="xs"
          label={t`Delete stored value: ${label}`}
          checked={isDeleted}
          onChange={(event) => onChange(`${key}_clear`, event.currentTarget.checked)}
        />
      )}
    </>
  );
}
