/** Luhn (ISO/IEC 7812): payment cards. */
export function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, i) => {
    const doubled = Number(digit) * (i % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** Prefixes of the card networks: a Luhn sum alone accepts one number in ten. */
export function isCardNumber(digits: string): boolean {
  return (
    /^(3[0-9]|4|5[0-9]|6|2[2-7])\d+$/.test(digits) && digits.length >= 13 && digits.length <= 19 && passesLuhn(digits)
  );
}

/** ISO 13616, mod 97. */
export function isIban(text: string): boolean {
  const compact = text.replaceAll(/[\s-]/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(compact)) return false;
  const rearranged = compact.slice(4) + compact.slice(0, 4);
  return remainder97(rearranged.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))) === 1;
}

function remainder97(digits: string): number {
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0);
}

/** United States: social security number; areas that are never issued are refused. */
export function isSsn(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits);
}

/** France: numéro de sécurité sociale with its key. */
export function isNir(digits: string): boolean {
  return /^[12]\d{14}$/.test(digits) && 97 - remainder97(digits.slice(0, 13)) === Number(digits.slice(13));
}

/** Spain: DNI, eight digits and a letter. */
export function isDni(text: string): boolean {
  const found = /^(\d{8})([A-Z])$/i.exec(text);
  return found !== null && 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(found[1]) % 23] === found[2]?.toUpperCase();
}

/** Brazil: CPF. */
export function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits) || /^(\d)\1+$/.test(digits)) return false;
  const check = (length: number): number => {
    const sum = [...digits.slice(0, length)].reduce((total, digit, i) => total + Number(digit) * (length + 1 - i), 0);
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

/** Germany: Steuer-Identifikationsnummer (ISO 7064 mod 11,10). */
export function isSteuerId(digits: string): boolean {
  if (!/^[1-9]\d{10}$/.test(digits)) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}
