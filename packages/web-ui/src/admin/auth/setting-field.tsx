import { t } from '@lingui/core/macro';
import { NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { SecretField } from '../settings/secret-field.tsx';
import { SettingSource } from '../settings/setting-field.tsx';
import { mustReenterSecret, canReset, shownValue, type ConfigItem, type Edits, type Value } from './draft.ts';
import { choiceLabels, helpOf, type FieldKind } from './layout.ts';
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
  const mayReset = canReset(item, edits) && item.data_type !== 'boolean';
  return (
    <div data-testid="setting" data-key={item.config_key}>
      <Control {...props} />
      <SettingSource
        label={label}
        text={originText(item)}
        color={item.origin === 'unreadable' ? 'red' : 'gray'}
        onReset={mayReset ? () => onChange(item.config_key, null) : null}
      />
    </div>
  );
}

function originText({ origin }: ConfigItem): string | null {
  if (origin === 'unreadable') return t`The stored value can’t be read. Set it again.`;
  return origin === 'environment' ? t`from the environment` : null;
}

function Control({ item, label, kind, edits, error, onChange }: Props) {
  const key = item.config_key;
  const value = shownValue(item, edits);
  const text = value === null ? '' : String(value);
  const set = (next: Value): void => onChange(key, next);
  const description = helpOf(label, item.description);
  const common = { label, description, error };
  if (item.data_type === 'boolean')
    return <Switch {...common} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
  if (item.data_type === 'integer')
    return (
      <NumberInput
        {...common}
        description={[description, t`${item.minimum ?? ''} to ${item.maximum ?? ''}`].filter(Boolean).join('. ')}
        value={text === '' ? '' : Number(text)}
        // A value out of range is reported, not corrected silently.
        clampBehavior="none"
        allowDecimal={false}
        styles={{ wrapper: { maxWidth: 200 } }}
        onChange={set}
      />
    );
  if (item.is_sensitive) return <Secret item={item} label={label} edits={edits} error={error} onChange={onChange} />;
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
    return <ListField {...common} settingKey={key} kind={kind} value={text} onChange={set} />;
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

function Secret({ item, label, edits, error, onChange }: Omit<Props, 'kind'>) {
  const key = item.config_key;
  const isDeleted = edits[`${key}_clear`] === true;
  const mustReenter = mustReenterSecret(item, edits);
  return (
    <SecretField
      form={{
        secrets: { [key]: isDeleted ? null : String(shownValue(item, edits) ?? '') },
        changeSecret: (_, value) => {
          if (isDeleted || value === null) onChange(`${key}_clear`, value === null);
          else onChange(key, value);
        },
        errorOf: () => error,
      }}
      name={key}
      label={label}
      description={
        mustReenter
          ? t`The stored value is only sent to the stored server, port, encryption and name.`
          : item.description
      }
      isSet={item.is_set}
      mayDelete
      {...(mustReenter ? { storedHint: t`Enter it again` } : {})}
    />
  );
}
