import { t } from '@lingui/core/macro';
import { Combobox, InputBase, useCombobox, type ComboboxStore } from '@mantine/core';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { type Code, type CodeList } from './code-queries.ts';

type Props = {
  readonly lists: readonly CodeList[];
  readonly loading: boolean;
  readonly value: string | null;
  readonly onChange: (uuid: string) => void;
};

/** Searches for a code in all lists. Enter chooses the first one that is found, also when the lists load later. */
export function CodeSelect({ lists, loading, value, onChange }: Props) {
  const chosen = lists.flatMap(({ codes }) => codes).find(({ uuid }) => uuid === value);
  const [typed, setTyped] = useState<string | null>(null);
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setTyped(null);
    },
  });
  const found = useMemo(() => codesWith(typed ?? '', lists), [typed, lists]);
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(uuid) => {
        onChange(uuid);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <InputBase
          label={t`Code`}
          data-autofocus
          autoComplete="off"
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          value={typed ?? (chosen ? labelOf(chosen) : '')}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            combobox.openDropdown();
          }}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          style={{ flex: 1, minWidth: '12rem' }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Options store={combobox} found={found}>
          {found.length === 0 && <Combobox.Empty>{loading ? t`Loading` : t`No such code`}</Combobox.Empty>}
        </Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

type OptionsProps = {
  readonly store: ComboboxStore;
  readonly found: readonly CodeList[];
  readonly children: ReactNode;
};

/** The first option is selected each time others are shown: this effect runs after they are in the document. */
function Options({ store, found, children }: OptionsProps) {
  const { selectFirstOption } = store;
  useEffect(() => {
    selectFirstOption();
  }, [selectFirstOption, found]);
  return (
    <Combobox.Options mah={220} style={{ overflowY: 'auto' }}>
      {found.map((list) => (
        <Combobox.Group
          key={list.uuid}
          label={list.owner_name === null ? list.name : `${list.name} (${list.owner_name})`}
        >
          {list.codes.map((code) => (
            <Combobox.Option key={code.uuid} value={code.uuid}>
              {labelOf(code)}
            </Combobox.Option>
          ))}
        </Combobox.Group>
      ))}
      {children}
    </Combobox.Options>
  );
}

function codesWith(text: string, lists: readonly CodeList[]): CodeList[] {
  const wanted = text.trim().toLowerCase();
  return lists
    .map((list) => ({ ...list, codes: list.codes.filter((code) => labelOf(code).toLowerCase().includes(wanted)) }))
    .filter(({ codes }) => codes.length > 0);
}

function labelOf({ name, parent_uuid: parent }: Code): string {
  return parent === null ? name : `– ${name}`;
}
