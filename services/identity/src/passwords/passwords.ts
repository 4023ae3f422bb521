/** Makes and checks password hashes; slow on purpose, and equally slow whether or not there is one to check. */
export type PasswordHasher = {
  hash: (password: string) => Promise<string>;
  verify: (hash: string, password: string) => Promise<boolean>;
  /** Takes as long as `verify` and does the same work, for names nobody has. */
  pretend: (password: string) => Promise<void>;
  /** Takes as long as `verify` lately did, without work: a locked account must not be a way to burn our processor. */
  idle: () => Promise<void>;
};

const minPasswordLength = 12;
const maxPasswordLength = 128;
/** A new password may be none of the last so many. */
export const historyLength = 24;

const special = /[!@#$%^&*()_+\-=[\]{}|;':",./<>?`~\\ ]/;

/** Why a password is refused, each in one sentence; empty when it is good. */
export const passwordFaults = (password: string, owner: { email: string; fullName: string }): string[] => {
  const low = password.toLowerCase();
  const local = owner.email.toLowerCase().split('@')[0] ?? '';
  const names = owner.fullName.toLowerCase().split(/\s+/);
  const personal = [...(local.length >= 4 ? [local] : []), ...names.filter((n) => n.length >= 3)];
  return [
    [password.length < minPasswordLength, `It needs at least ${minPasswordLength} characters.`],
    [password.length > maxPasswordLength, `It may have at most ${maxPasswordLength} characters.`],
    [!/\p{Lu}/u.test(password), 'It needs an upper case letter.'],
    [!/\p{Ll}/u.test(password), 'It needs a lower case letter.'],
    [!/\p{Nd}/u.test(password), 'It needs a digit.'],
    [!special.test(password), 'It needs a special character.'],
    [personal.some((p) => low.includes(p)), 'It must not contain your name or e-mail address.'],
  ].flatMap(([wrong, text]) => (wrong ? [text as string] : []));
};
