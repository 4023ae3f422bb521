import { t } from '@lingui/core/macro';
import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { formatNumber } from '../lib/format.ts';

type Common = Pick<NumberInputProps, 'label' | 'description' | 'placeholder' | 'suffix' | 'allowDecimal'> & {
  readonly min: number;
  readonly max: number;
  /** What the server says about the number. */
  readonly error?: ReactNode;
};
type Optional = {
  readonly optional: true;
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
};
type Required = { readonly optional?: false; readonly value: number; readonly onChange: (value: number) => void };

/**
 * A number with limits. A number outside of them is reported, and its form is not sent: a corrected number would be saved
 * unseen. A required field can be empty while another number is typed.
 */
export function NumberField(props: Common & (Optional | Required)) {
  const { optional, value, onChange, error, ...shown } = props;
  const input = useRef<HTMLInputElement>(null);
  const [isBlank, setBlank] = useState(false);
  const [isReported, setReported] = useState(false);
  const { min, max } = shown;
  const wrong =
    value !== null && (value < min || value > max)
      ? t`Enter a number from ${formatNumber(min)} to ${formatNumber(max)}.`
      : '';
  useEffect(() => input.current?.setCustomValidity(wrong), [wrong]);
  return (
    <NumberInput
      {...shown}
      ref={input}
      // Most languages write a comma: without this 0,8 would become 8.
      allowedDecimalSeparators={['.', ',']}
      clampBehavior="none"
      value={isBlank || value === null ? '' : value}
      error={isReported && wrong !== '' ? wrong : error}
      onInvalid={() => setReported(true)}
      onBlur={() => {
        setReported(true);
        setBlank(false);
      }}
      onChange={(next) => {
        const number = next === '' ? Number.NaN : Number(next);
        setBlank(Number.isNaN(number));
        if (!Number.isNaN(number)) onChange(number);
        else if (props.optional) props.onChange(null);
      }}
    />
  );
}
