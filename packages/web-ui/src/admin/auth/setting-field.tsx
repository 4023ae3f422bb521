import { Badge, Button, NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import css from './auth.module.css';
import { isNeededAgain, mayReset, shownOf, type ConfigItem, type Edits, type Value } from './draft.ts';
import { choiceWords, type Kind } from './layout.ts';
import { ListField } from './list-field.tsx';

type Props = {
  readonly item: ConfigItem;
  readonly label: string;
  readonly kind: Kind;
  readonly edits: Edits;
  readonly error: string | null;
  readonly onChange: (key: string, value: Value) => void;
};

/** One setting: the control that suits its kind, where its value comes from, and the way back to the default. */
export const SettingField = (props: Props) => {
  const { item, label, edits, onChange } = props;
  return (
    <div className={css['field']} data-testid="setting" data-key={item.config_key}>
      <Control {...props} />
      {mayReset(item, edits) && item.data_type !== 'boolean' && (
        <Button
          className={css['reset'] ?? ''}
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-label={`Use default: ${label}`}
          onClick={() => onChange(item.config_key, null)}
        >
          Use default
        </Button>
      )}
      <Origin item={item} />
    </div>
  );
};

const Origin = ({ item }: { item: ConfigItem }) => {
  if (item.origin === 'unreadable')
    return (
      <Badge mt={6} color="red" variant="light">
        What is stored cannot be read: set it again
      </Badge>
    );
  return item.origin === 'environment' ? (
    <Badge mt={6} color="gray" variant="light">
      from the environment
    </Badge>
  ) : null;
};

const Control = ({ item, label, kind, edits, error, onChange }: Props) => {
  const key = item.config_key;
  const value = shownOf(item, edits);
  const text = value === null ? '' : String(value);
  const set = (next: Value): void => onChange(key, next);
  // Where the catalogue says no more than the label does, once is enough.
  const description = item.description === label ? undefined : item.description;
  const common = { label, description, error };
  if (item.data_type === 'boolean')
    return <Switch {...common} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
  if (item.data_type === 'integer')
    return (
      <NumberInput
        {...common}
        description={`${item.description}. ${item.minimum} to ${item.maximum}`}
        value={text === '' ? '' : Number(text)}
        // Out of bounds is said at the field, not put right behind one's back.
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
        data={item.choices.map((choice) => ({ value: choice, label: choiceWords[choice] ?? choice }))}
        value={text}
        allowDeselect={false}
        maw={320}
        onChange={(next) => next !== null && set(next)}
      />
    );
  if (kind === 'dns' || kind === 'words' || kind === 'addresses')
    return <ListField {...common} description={item.description} kind={kind} value={text} onChange={set} />;
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
};

/** Never shown, never given back: empty keeps what is stored, and forgetting it is a step of its own. */
const SecretField = ({ item, label, edits, error, onChange }: Omit<Props, 'kind'>) => {
  const key = item.config_key;
  const forget = edits[`${key}_clear`] === true;
  const again = isNeededAgain(item, edits);
  const kept = again ? 'Give it once more' : 'Configured, leave empty to keep';
  return (
    <>
      <PasswordInput
        label={label}
        description={
          again ? 'What is stored goes to the stored server, port, encryption and name only.' : item.description
        }
        error={error}
        autoComplete="new-password"
        placeholder={forget ? 'Will be forgotten' : item.is_set ? kept : 'Not set'}
        disabled={forget}
        value={String(shownOf(item, edits) ?? '')}
        onChange={(event) => onChange(key, event.currentTarget.value)}
      />
      {item.is_set && (
        <Switch
          mt={6}
          size="xs"
          label={`Forget the stored value of: ${label}`}
          checked={forget}
          onChange={(event) => onChange(`${key}_clear`, event.currentTarget.checked)}
        />
      )}
    </>
  );
};
